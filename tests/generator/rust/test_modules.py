"""Tests of Rust modules: they compile on all targets and work."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.generator.rust.building import SPEC, checked, committed, compiled, crate, generate, options_for, tools
from tests.sampling import short_form
from tests.tools import require, require_compiler

TESTS = SPEC.parent.parent
_FOLDERS = ["build/spec", "c_checks/spec", "cpp/spec", "python/spec", "new/apis", "rust/spec"]

_IN_C = """
#include "kiosk.h"

int KI_Change(const KI_Meter* meter) { return meter->change; }
unsigned KI_Far(const KI_Meter* meter) { return meter->far; }
unsigned KI_Sum(const KI_Tight* tight) { return (unsigned)tight->tag + tight->count; }
int KI_IsFull(const KI_Belt* belt, const KI_Slot* slot, const KI_Mixed* mixed, const KI_Dense* dense) {
  return belt->speed == 5 && belt->slope == -200 && belt->left == 9 && belt->right == -3 && belt->late == 11 &&
         slot->few == 6 && mixed->low == 2 && mixed->plain == 'p' && mixed->high == 300 &&
         mixed->wide == 0x123456789 && mixed->sign == -2 && mixed->number == -77 && dense->thin == 3 &&
         dense->thick == 0x6BCDE && dense->last == -1;
}
"""
_USE = """
use kiosk::*;

unsafe extern "C" fn open(doors: KI_Doors) -> KI_Result {
    if doors.contains(KI_FRONT) { KI_OK } else { KI_UNSUPPORTED }
}

fn through(code: KI_Result) -> Result<(), KI_Result> {
    code.ok()?;
    Ok(())
}

const FULL: KIP_Kiosk = KIP_Kiosk::new();

fn main() {
    let mut whole = FULL;
    assert_eq!(whole.struct_size, KIP_KIOSK_STRUCT_SIZE);
    assert!(whole.open.is_none() && whole.type_.is_null());
    whole.open = Some(open);
    let mut memory = [usize::MAX; 8];
    let old = memory.as_mut_ptr() as *mut KIP_Kiosk;
    unsafe {
        assert_eq!(abigen_v1::start(old, KIP_KIOSK_STRUCT_SIZE_1_0_0), KIP_KIOSK_STRUCT_SIZE_1_0_0);
        assert_eq!(abigen_v1::start(old, core::mem::size_of::<usize>() - 1), 0);
        assert_eq!(abigen_v1::start(core::ptr::null_mut::<KIP_Kiosk>(), 64), 0);
        assert!(KIP_Kiosk::has_type_(old) && !KIP_Kiosk::has_pay(old));
        assert!(KIP_Kiosk::get_open(old).is_none() && KIP_Kiosk::get_pay(old).is_none());
        assert!(KIP_Kiosk::has_pay(&whole) && KIP_Kiosk::get_pay(&whole).is_none());
        let open = KIP_Kiosk::get_open(&whole).unwrap();
        assert_eq!(open(KI_FRONT | KI_BACK).ok(), Ok(()));
        assert_eq!(through(open(!KI_FRONT)), Err(KI_UNSUPPORTED));
    }
    assert_eq!(memory[3], usize::MAX, "start wrote behind the object");
    assert_eq!(KI_Result(77).name(), None);
    assert_eq!(through(KI_Result(77)), Err(KI_Result(77)));
    assert_eq!(KI_FAILED.name(), Some("KI_FAILED"));
    assert_eq!((KI_GREETING, KI_HALF), (&b"hello\\n\\0"[..], 0.5));
    assert_eq!((KI_LIMIT, KI_NAME, KI_MAJOR, KI_MINOR), (4096, &b"kiosk\\0"[..], 1, 1));
    assert_eq!(core::mem::size_of::<KI_Bits>(), 8);
    let mut meter = KI_Meter::new();
    for far in [0, 1, 0x55_5555, 0x7F_FFFF] {
        meter.set_doors(KI_FRONT | KI_BACK);
        meter.set_change(-7);
        meter.set_far(far);
        meter.set_wide(0x8765_4321);
        assert_eq!((meter.get_doors(), meter.get_change()), (KI_FRONT | KI_BACK, -7));
        assert_eq!((meter.get_far(), meter.get_wide()), (far, 0x8765_4321));
        assert_eq!(unsafe { KI_Change(&meter) }, -7);
        meter.set_change(15);
        assert_eq!((unsafe { KI_Change(&meter) }, meter.get_far()), (15, far));
        assert_eq!(unsafe { KI_Far(&meter) }, far);
    }
    let tight = KI_Tight { packed: KI_Tight_packed { tag: 1, count: 77 } };
    assert_eq!(unsafe { KI_Sum(&tight) }, 78);
    let (mut belt, mut slot) = (KI_Belt::new(), KI_Slot::new());
    let (mut mixed, mut dense) = (KI_Mixed::new(), KI_Dense::new());
    slot.set_few(6);
    mixed.set_low(2);
    mixed.plain = b'p' as _;
    mixed.set_high(300);
    mixed.set_wide(0x1_2345_6789);
    dense.set_thin(3);
    dense.set_thick(0x6_BCDE);
    dense.last = -1;
    unsafe {
        KI_Belt::set_speed(&mut belt, 5);
        KI_Belt::set_slope(&mut belt, -200);
        KI_Belt::set_left(&mut belt, 9);
        KI_Belt::set_right(&mut belt, -3);
        KI_Belt::set_late(&mut belt, 11);
        KI_Mixed::set_sign(&mut mixed, -2);
        KI_Mixed::set_number(&mut mixed, -77);
        assert_eq!(KI_IsFull(&belt, &slot, &mixed, &dense), 1);
        assert_eq!((KI_Belt::get_speed(&belt), KI_Belt::get_slope(&belt)), (5, -200));
        assert_eq!((KI_Belt::get_left(&belt), KI_Belt::get_right(&belt)), (9, -3));
        assert_eq!((KI_Mixed::get_sign(&mixed), KI_Mixed::get_number(&mixed)), (-2, -77));
        assert_eq!((mixed.get_low(), mixed.get_high(), mixed.get_wide()), (2, 300, 0x1_2345_6789));
        assert_eq!((slot.get_few(), dense.get_thin(), dense.get_thick()), (6, 3, 0x6_BCDE));
        assert!(KI_Belt::has_late(&belt) && KI_Belt::get_late(&belt) == 11);
        belt.struct_size = KI_BELT_STRUCT_SIZE_1_0_0;
        assert!(KI_Belt::has_right(&belt) && !KI_Belt::has_late(&belt) && KI_Belt::get_late(&belt) == 0);
    }
}
"""


@pytest.mark.ci
@pytest.mark.parametrize("group", short_form(["tensorflow", "rfc", "xla"], 3, in_ci=True))
def test_modules_of_the_specs_that_come_with_abigen_compile_without_the_standard_library(
    group: str, tmp_path: Path
) -> None:
    checked(crate(tmp_path, committed(group)))


@pytest.mark.ci
@pytest.mark.parametrize("folder", short_form(_FOLDERS, 2, in_ci=True))
def test_modules_of_all_specs_of_the_tests_compile(folder: str, tmp_path: Path) -> None:
    checked(crate(tmp_path, generate(tmp_path / "out", TESTS / folder)))


@pytest.mark.parametrize("platform", ["x86_64-pc-windows-gnu", "wasm32-unknown-unknown"])
def test_modules_are_laid_out_as_other_platforms_have_it(platform: str, tmp_path: Path) -> None:
    source = crate(tmp_path, [*committed("tensorflow"), *(generate(tmp_path / "out")[1:])])
    (rustc,) = require(f"/usr/bin/rustc --target {platform}")
    assert compiled(source, tmp_path / "lib", "--crate-type", "lib", "--target", platform, rustc=rustc) == ""


@pytest.mark.ci
@pytest.mark.parametrize("at", [0, -1])
def test_a_program_sees_no_member_that_is_not_there(tmp_path: Path, at: int) -> None:
    run_beside_c(tmp_path, tools("rustc")[at], [])


def test_a_program_of_32_bits_sees_no_member_that_is_not_there(tmp_path: Path) -> None:
    rustc, options = options_for("i686-unknown-linux-gnu")
    run_beside_c(tmp_path, rustc, options, "-m32")


def run_beside_c(tmp_path: Path, rustc: str, options: list[str], *flags: str) -> None:
    """Compile a program of which a part is in C, and run it."""
    gcc = require_compiler("gcc", *flags)
    source = crate(tmp_path, generate(tmp_path / "out", SPEC, "rust", "c"), "", _USE)
    program, library = tmp_path / "program", tmp_path / "c.o"
    (tmp_path / "c.c").write_text(_IN_C)
    command = [gcc, *flags, "-c", f"-I{tmp_path / 'out' / 'c'}", tmp_path / "c.c", "-o", library]
    subprocess.run(command, check=True)
    assert compiled(source, program, *options, "-A", "dead_code", "-C", f"link-arg={library}", rustc=rustc) == ""
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.ci
@pytest.mark.parametrize(
    ("place", "other"),
    short_form(
        [
            (" 0], rest [4,", " 0], rest [8,"),
            (" pay [24,", " pay [32,"),
            ("KI_Coin, size [8,", "KI_Coin, size [16,"),
            (
                "KI_Coin, size [8, 8, 8, 8, 8, 8, 8], alignment [8,",
                "KI_Coin, size [8, 8, 8, 8, 8, 8, 8], alignment [4,",
            ),
        ],
        2,
        in_ci=True,
    ),
)
def test_a_struct_that_is_laid_out_otherwise_does_not_compile(tmp_path: Path, place: str, other: str) -> None:
    modules = generate(tmp_path / "out")
    (module,) = (each for each in modules if each.stem == "kiosk")
    text = module.read_text()
    assert place in text
    module.write_text(text.replace(place, other))
    for rustc in tools("rustc"):
        said = compiled(crate(tmp_path, modules), tmp_path / "lib", "--crate-type", "lib", rustc=rustc)
        assert "evaluation of constant value failed" in said or "evaluation panicked" in said, said


@pytest.mark.ci
def test_a_member_of_a_large_struct_takes_few_lines_and_old_compilers_do_not_give_up(tmp_path: Path) -> None:
    members = "".join(f"      - {{name: call_{at}, type: int (*)(void* object)}}\n" for at in range(150))
    (tmp_path / "large.yaml").write_text(
        "abigen: 1\napi: large\nprefix: LA\nversion: 1.0.0\nconventions: {leading_fields: [size_t struct_size]}\n"
        f"structs:\n  - name: LA_Calls\n    fields:\n{members}"
    )
    modules = generate(tmp_path / "out", tmp_path)
    (module,) = (each for each in modules if each.stem == "large")
    assert len(module.read_text().splitlines()) < 3 * 150
    checked(crate(tmp_path, modules))


def test_a_struct_may_have_the_name_of_the_trait_that_it_implements(tmp_path: Path) -> None:
    (tmp_path / "named.yaml").write_text(
        "abigen: 1\napi: named\nprefix: XY\nversion: 1.0.0\nconventions: {leading_fields: [size_t struct_size]}\n"
        "structs: [{name: Versioned, fields: [{name: a, type: int}]}]\n"
    )
    checked(crate(tmp_path, generate(tmp_path / "out", tmp_path)))


def test_what_c_gives_no_name_is_private(tmp_path: Path) -> None:
    (module,) = (each for each in generate(tmp_path) if each.stem == "kiosk")
    text = module.read_text()
    assert "    anonymous_4: KI_Belt_anonymous_1," in text
    assert not re.search(r"pub \w*(?:bits|anonymous|align)_?\d*:|pub (?:struct|union) \w*_anonymous_", text)


def test_what_rust_cannot_hold_is_known_by_pointers_only(tmp_path: Path) -> None:
    (module,) = (each for each in generate(tmp_path) if each.stem == "kiosk")
    text = module.read_text()
    assert "    /// Its size never changes.\n    KI_Fine\n" in text
    assert "fine: *const KI_Fine" in text
    assert "fn KI_Weigh" not in text
    assert "// Rust cannot declare KI_Weigh" in text


@pytest.mark.ci
def test_clippy_has_nothing_to_say(tmp_path: Path) -> None:
    (driver,) = tools("cargo-clippy")[:1]
    (tmp_path / "src").mkdir()
    modules = generate(tmp_path / "out")
    (tmp_path / "src" / "lib.rs").write_text(crate(tmp_path, modules).read_text())
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "kiosk"\nversion = "0.1.0"\nedition = "2021"\n')
    command = [driver, "clippy", "--quiet", "--offline", "--", "-D", "warnings"]
    environment = {**os.environ, "PATH": f"{Path(driver).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_rustfmt_leaves_modules_as_they_are(tmp_path: Path) -> None:
    (rustfmt,) = tools("rustfmt")[:1]
    command = [rustfmt, "--edition", "2021", "--check", *committed("tensorflow"), *generate(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
