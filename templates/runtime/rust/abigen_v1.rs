//! What the modules of all APIs use: types of C, and macros that respect the sizes of structs. It
//! takes no crate and no standard library.
//!
//! # Safety
//!
//! A struct that carries its size may be shorter than this release's where the other side has made
//! it. So functions take a raw pointer to it, not a reference. The pointer must not be NULL, there
//! must be as many bytes behind it as the object states, and nobody may write them meanwhile.

#![cfg_attr(rustfmt, rustfmt_skip)]
#![allow(non_camel_case_types, dead_code)]
#![allow(unused_imports, unused_macros, unused_unsafe)]

pub use ::core::ffi::c_void;

/// `char` of C, which has no sign on some platforms.
#[cfg(all(
    not(any(windows, target_vendor = "apple")),
    any(
        target_arch = "aarch64",
        target_arch = "arm",
        target_arch = "powerpc",
        target_arch = "powerpc64",
        target_arch = "riscv32",
        target_arch = "riscv64",
        target_arch = "s390x"
    )
))]
pub type c_char = u8;
/// `char` of C, which has no sign on some platforms.
#[cfg(not(all(
    not(any(windows, target_vendor = "apple")),
    any(
        target_arch = "aarch64",
        target_arch = "arm",
        target_arch = "powerpc",
        target_arch = "powerpc64",
        target_arch = "riscv32",
        target_arch = "riscv64",
        target_arch = "s390x"
    )
)))]
pub type c_char = i8;

/// `long` of C.
#[cfg(all(target_pointer_width = "64", not(windows)))]
pub type c_long = i64;
/// `unsigned long` of C.
#[cfg(all(target_pointer_width = "64", not(windows)))]
pub type c_ulong = u64;
/// `long` of C.
#[cfg(not(all(target_pointer_width = "64", not(windows))))]
pub type c_long = i32;
/// `unsigned long` of C.
#[cfg(not(all(target_pointer_width = "64", not(windows))))]
pub type c_ulong = u32;

/// `va_list` of C as a parameter, which only C can read. Pass it on before the call returns.
pub type va_list = *mut c_void;

/// `wchar_t` of C.
#[cfg(windows)]
pub type wchar_t = u16;
/// `wchar_t` of C.
#[cfg(all(not(windows), any(target_arch = "aarch64", target_arch = "arm"), not(target_vendor = "apple")))]
pub type wchar_t = u32;
/// `wchar_t` of C.
#[cfg(all(not(windows), not(all(any(target_arch = "aarch64", target_arch = "arm"), not(target_vendor = "apple")))))]
pub type wchar_t = i32;

/// Integers of the system's headers.
pub mod system {
    use super::{c_long, c_ulong};

    pub type gid_t = u32;
    pub type id_t = u32;
    pub type key_t = i32;
    pub type pid_t = i32;
    pub type sig_atomic_t = i32;
    pub type uid_t = u32;
    pub type useconds_t = u32;
    #[cfg(windows)]
    pub type socklen_t = i32;
    #[cfg(not(windows))]
    pub type socklen_t = u32;
    #[cfg(any(windows, target_pointer_width = "64", target_arch = "wasm32"))]
    pub type time_t = i64;
    #[cfg(not(any(windows, target_pointer_width = "64", target_arch = "wasm32")))]
    pub type time_t = i32;
    #[cfg(any(target_vendor = "apple", target_arch = "wasm32"))]
    pub type off_t = i64;
    #[cfg(not(any(target_vendor = "apple", target_arch = "wasm32")))]
    pub type off_t = c_long;
    #[cfg(windows)]
    pub type wint_t = u16;
    #[cfg(target_vendor = "apple")]
    pub type wint_t = i32;
    #[cfg(not(any(windows, target_vendor = "apple")))]
    pub type wint_t = u32;
    #[cfg(target_vendor = "apple")]
    mod here {
        pub type clock_t = super::c_ulong;
        pub type clockid_t = u32;
        pub type dev_t = i32;
        pub type ino_t = u64;
        pub type mode_t = u16;
        pub type nfds_t = u32;
        pub type sa_family_t = u8;
        pub type suseconds_t = i32;
    }
    #[cfg(not(target_vendor = "apple"))]
    mod here {
        pub type clock_t = super::c_long;
        pub type clockid_t = i32;
        pub type dev_t = u64;
        pub type ino_t = super::c_ulong;
        pub type mode_t = u32;
        pub type nfds_t = super::c_ulong;
        pub type sa_family_t = u16;
        pub type suseconds_t = super::c_long;
    }
    pub use here::*;
}
pub use system::*;

/// A struct that carries its size, so that it may grow. The other side may know a longer or a
/// shorter one: hold it by a raw pointer, for a reference promises that all of it is there.
///
/// # Safety
/// `SIZE` ends where the last member does, and `FIRST` where the size does.
pub unsafe trait Versioned: Copy {
    const SIZE: usize;
    const FIRST: usize;
    /// The size that an object states.
    ///
    /// # Safety
    /// There are at least `FIRST` bytes behind the pointer.
    unsafe fn stated_size(object: *const Self) -> usize;
    /// Lets an object state its size.
    ///
    /// # Safety
    /// There are at least `FIRST` bytes behind the pointer.
    unsafe fn state_size(object: *mut Self, size: usize);
}

/// Begins to fill an object that the other side has allocated: zeros what both sides know, and
/// states its size. Returns that size; 0, and touches nothing, where there is not even room for it.
///
/// # Safety
/// The object is NULL, or there are `allocated` bytes behind it.
pub unsafe fn start<T: Versioned>(object: *mut T, allocated: usize) -> usize {
    let size = if allocated < T::SIZE { allocated } else { T::SIZE };
    if object.is_null() || size < T::FIRST {
        return 0;
    }
    unsafe {
        ::core::ptr::write_bytes(object as *mut u8, 0, size);
        T::state_size(object, size);
    }
    size
}

/// The byte of an object that has a bit, and the bit's place in it: platforms count from either end.
const fn place_of(bit: usize) -> (usize, usize) {
    (bit / 8, if cfg!(target_endian = "big") { 7 - bit % 8 } else { bit % 8 })
}

/// Where a bit of a bit-field stands in its number.
const fn worth(at: usize, width: usize) -> usize {
    if cfg!(target_endian = "big") { width - 1 - at } else { at }
}

/// How many bytes there are up to a bit.
pub const fn bytes_up_to(bit: usize) -> usize {
    bit / 8 + 1
}

/// The number that a bit-field holds.
///
/// # Safety
/// The object has these bits.
pub unsafe fn read_bits(object: *const u8, first: usize, width: usize) -> u64 {
    let mut number = 0;
    for at in 0..width {
        let (byte, bit) = place_of(first + at);
        number |= u64::from(unsafe { *object.add(byte) } >> bit & 1) << worth(at, width);
    }
    number
}

/// Lets a bit-field hold the lowest bits of a number.
///
/// # Safety
/// The object has these bits.
pub unsafe fn write_bits(object: *mut u8, first: usize, width: usize, number: u64) {
    for at in 0..width {
        let (byte, bit) = place_of(first + at);
        let value = (number >> worth(at, width) & 1) as u8;
        unsafe { *object.add(byte) = *object.add(byte) & !(1 << bit) | value << bit }
    }
}

/// The bytes of a type, each with a part of its own number.
pub const fn numbered<const N: usize>(shift: usize) -> [u8; N] {
    let mut bytes = [0; N];
    let mut at = 0;
    while at < N {
        bytes[at] = (at >> shift) as u8;
        at += 1;
    }
    bytes
}

/// A type that a bit-field can have.
pub trait BitValue: Copy {
    /// What the lowest bits of a number mean.
    fn from_bits(bits: u64, width: usize) -> Self;
    /// A number whose lowest bits mean the value.
    fn to_bits(self) -> u64;
}

impl BitValue for bool {
    fn from_bits(bits: u64, _: usize) -> Self {
        bits != 0
    }
    fn to_bits(self) -> u64 {
        self as u64
    }
}

macro_rules! bit_values {
    ($($signed:ident $unsigned:ident)*) => {
        $(
            impl BitValue for $unsigned {
                fn from_bits(bits: u64, _: usize) -> Self {
                    bits as $unsigned
                }
                fn to_bits(self) -> u64 {
                    self as u64
                }
            }

            impl BitValue for $signed {
                fn from_bits(bits: u64, width: usize) -> Self {
                    ((bits << (64 - width)) as i64 >> (64 - width)) as $signed
                }
                fn to_bits(self) -> u64 {
                    self as u64
                }
            }
        )*
    };
}
bit_values! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize }

/// What aligns a struct to a number of bytes, and takes no room.
pub type AlignedTo<const ALIGNMENT: usize> = [<[u8; ALIGNMENT] as Aligning>::Type; 0];

/// Bytes as many as a type is aligned to.
pub trait Aligning {
    type Type: Copy;
}

/// A number of eight bytes, which has to be told to align to as many on i386.
#[derive(Clone, Copy)]
#[cfg_attr(all(target_arch = "x86", not(windows)), repr(C, align(8)))]
#[cfg_attr(not(all(target_arch = "x86", not(windows))), repr(transparent))]
pub struct EightBytes(u64);

macro_rules! aligning {
    ($($size:literal $type:ty),*) => {
        $(
            impl Aligning for [u8; $size] {
                type Type = $type;
            }
        )*
    };
}
aligning! { 1 u8, 2 u16, 4 u32, 8 EightBytes }

/// The number of this group of platforms. It does not compile on platforms in no group.
pub const fn here<const N: usize>(platform: usize, numbers: [usize; N]) -> usize {
    assert!(platform < N, "abigen does not know where bit-fields stand on this platform");
    numbers[platform]
}

/// Whether a number is what it has to be here; nothing is known of platforms in no group.
pub const fn holds<const N: usize>(platform: usize, found: usize, expected: [usize; N]) -> bool {
    platform >= N || found == expected[platform]
}

/// The size of what a pointer points to.
pub const fn size_behind<T>(_: *const T) -> usize {
    ::core::mem::size_of::<T>()
}


/// Where a member stands, in bytes: an object is made whose bytes hold their own numbers, and the
/// member's first one is read. It works in constants from Rust 1.63 on.
macro_rules! offset_of {
    ($type:ty, $($member:tt)+) => {{
        const BYTES: usize = ::core::mem::size_of::<$type>() + 1;
        #[repr(C)]
        union Numbered {
            bytes: [u8; BYTES],
            value: $type,
        }
        // A constant of its own, for old compilers take only so many steps to find one.
        const OFFSET: usize = unsafe {
            let low = Numbered { bytes: numbered(0) };
            let high = Numbered { bytes: numbered(8) };
            *(::core::ptr::addr_of!(low.value.$($member)+) as *const u8) as usize
                + ((*(::core::ptr::addr_of!(high.value.$($member)+) as *const u8) as usize) << 8)
        };
        OFFSET
    }};
}
pub(crate) use offset_of;

/// Where a member ends, in bytes.
macro_rules! end_of {
    ($type:ty, $($member:tt)+) => {{
        const SIZE: usize = {
            #[repr(C)]
            union Zero {
                nothing: (),
                value: $type,
            }
            unsafe {
                let zero = Zero { nothing: () };
                size_behind(::core::ptr::addr_of!(zero.value.$($member)+))
            }
        };
        offset_of!($type, $($member)+) + SIZE
    }};
}
pub(crate) use end_of;

/// A type whose bytes are all zero, which is a value of each type of these modules.
macro_rules! zero_of {
    ($type:ty) => {{
        #[repr(C)]
        union Zero {
            bytes: [u8; ::core::mem::size_of::<$type>()],
            value: $type,
        }
        unsafe { Zero { bytes: [0; ::core::mem::size_of::<$type>()] }.value }
    }};
}
pub(crate) use zero_of;

/// The functions of an enumeration.
macro_rules! enumeration {
    ($type:ident: $number:ty; $($name:ident),*) => {
        impl BitValue for $type {
            fn from_bits(bits: u64, width: usize) -> Self {
                Self(<$number as BitValue>::from_bits(bits, width))
            }
            fn to_bits(self) -> u64 {
                BitValue::to_bits(self.0)
            }
        }

        impl $type {
            /// Its name; None for a number that this release has none for.
            pub fn name(self) -> Option<&'static str> {
                match self {
                    $($name => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use enumeration;

/// The functions of an enumeration that says whether all went well.
macro_rules! outcome {
    ($type:ident: $ok:ident) => {
        impl $type {
            /// Whether all went well, so that `?` passes an error on.
            pub fn ok(self) -> ::core::result::Result<(), Self> {
                if self == $ok {
                    Ok(())
                } else {
                    Err(self)
                }
            }
        }
    };
}
pub(crate) use outcome;

/// The functions and operators of flags.
macro_rules! flags {
    ($type:ident) => {
        impl $type {
            /// Whether it has all of these flags.
            pub const fn contains(self, flags: Self) -> bool {
                self.0 & flags.0 == flags.0
            }
        }

        impl ::core::ops::Not for $type {
            type Output = Self;
            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        flags! { $type: BitOr bitor BitOrAssign bitor_assign | }
        flags! { $type: BitAnd bitand BitAndAssign bitand_assign & }
        flags! { $type: BitXor bitxor BitXorAssign bitxor_assign ^ }
    };
    ($type:ident: $trait:ident $function:ident $assign_trait:ident $assign:ident $operator:tt) => {
        impl ::core::ops::$trait for $type {
            type Output = Self;
            fn $function(self, other: Self) -> Self {
                Self(self.0 $operator other.0)
            }
        }

        impl ::core::ops::$assign_trait for $type {
            fn $assign(&mut self, other: Self) {
                self.0 = self.0 $operator other.0;
            }
        }
    };
}
pub(crate) use flags;

/// A struct that Rust cannot hold by value.
macro_rules! opaque {
    ($(#[doc = $doc:expr])* $type:ident) => {
        $(#[doc = $doc])*
        ///
        /// It is known by pointers only.
        #[repr(C)]
        pub struct $type {
            _nothing: [u8; 0],
            _nowhere: ::core::marker::PhantomData<(*mut u8, ::core::marker::PhantomPinned)>,
        }
    };
}
pub(crate) use opaque;

/// The functions of a struct that does not carry its size.
macro_rules! unversioned {
    ($type:ident) => {
        impl $type {
            /// One that is zero.
            pub const fn new() -> Self {
                zero_of!($type)
            }
        }

        impl Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }
    };
}
pub(crate) use unversioned;

/// The sizes of a struct that carries its size, and functions for each member that respect it.
macro_rules! versioned {
    ($type:ident, $($size:ident).+ $(, $holder:ident: $($kind:ident).+ = $value:expr)?;
     $whole:ident = $last:ident $(, $release:ident = $least:ident)*;
     $($(#[$told:meta])* $has:ident $get:ident $member:ident: $of:ty;)*) => {
        #[doc = concat!("Where the last member that this release knows of `", stringify!($type), "` ends.")]
        pub const $whole: usize = end_of!($type, $last);
        $(
            #[doc = concat!("The smallest size of `", stringify!($type), "` in a release.")]
            pub const $release: usize = end_of!($type, $least);
        )*

        unsafe impl super::abigen_v1::Versioned for $type {
            const SIZE: usize = $whole;
            const FIRST: usize = [$(end_of!($type, $holder),)? end_of!($type, $($size).+)][0];
            unsafe fn stated_size(object: *const Self) -> usize {
                unsafe { ::core::ptr::addr_of!((*object).$($size).+).read_unaligned() as usize }
            }
            unsafe fn state_size(object: *mut Self, size: usize) {
                unsafe { ::core::ptr::addr_of_mut!((*object).$($size).+).write_unaligned(size as _) }
                $(unsafe { ::core::ptr::addr_of_mut!((*object).$($kind).+).write_unaligned($value) })?
            }
        }

        impl $type {
            /// One that states its size, and is zero otherwise.
            pub const fn new() -> Self {
                let mut object = zero_of!($type);
                object.$($size).+ = $whole as _;
                $(object.$($kind).+ = $value;)?
                object
            }
            $(
                #[doc = concat!("Whether the other side has `", stringify!($member), "`.")]
                ///
                /// # Safety
                /// The pointer is as `abigen_v1` says.
                pub unsafe fn $has(object: *const Self) -> bool {
                    unsafe { <Self as super::abigen_v1::Versioned>::stated_size(object) >= end_of!($type, $member) }
                }

                #[doc = concat!("What `", stringify!($member), "` holds; zero, which is None of a function,")]
                /// where the other side has no such member.
                ///
                /// # Safety
                /// The pointer is as `abigen_v1` says.
                $(#[$told])*
                pub unsafe fn $get(object: *const Self) -> $of {
                    unsafe {
                        if Self::$has(object) {
                            ::core::ptr::addr_of!((*object).$member).read_unaligned()
                        } else {
                            ::core::mem::zeroed()
                        }
                    }
                }
            )*
        }

        impl Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }
    };
}
pub(crate) use versioned;

/// Functions for the bit-fields of a struct that does not carry its size.
macro_rules! bit_fields {
    ($type:ident; $($(#[doc = $doc:expr])* $get:ident $set:ident $($path:ident).+[$first:expr; $width:expr]: $of:ty;)*) => {
        impl $type {
            $(
                $(#[doc = $doc])*
                pub fn $get(&self) -> $of {
                    unsafe { get_member!(self, $of, $($path).+ [$first; $width]) }
                }

                #[doc = concat!("Sets what `", stringify!($get), "` returns, to the lowest bits of a value.")]
                pub fn $set(&mut self, value: $of) {
                    unsafe { set_member!(self, value, $($path).+ [$first; $width]) }
                }
            )*
        }
    };
}
pub(crate) use bit_fields;

/// Functions for other members that have no name of their own in Rust: bit-fields of a struct that
/// carries its size, and members of a member without a name. The name in parentheses is that of the
/// function which tells whether the other side has the member.
macro_rules! inner_members {
    ($type:ident; $($(#[doc = $doc:expr])* ($($has:ident)?) $get:ident $set:ident $($path:ident).+ $([$first:expr; $width:expr])?: $of:ty;)*) => {
        impl $type {
            $(
                inner_members! { has $type ($($has)?) $get $($path).+ $([$first; $width])? }

                $(#[doc = $doc])*
                ///
                /// It is zero where the other side has no such member.
                ///
                /// # Safety
                /// The pointer is as `abigen_v1` says.
                pub unsafe fn $get(object: *const Self) -> $of {
                    unsafe {
                        $(
                            if !Self::$has(object) {
                                return ::core::mem::zeroed();
                            }
                        )?
                        get_member!(object, $of, $($path).+ $([$first; $width])?)
                    }
                }

                #[doc = concat!("Sets what `", stringify!($get), "` returns. The other side must have it.")]
                ///
                /// # Safety
                /// The pointer is as `abigen_v1` says.
                pub unsafe fn $set(object: *mut Self, value: $of) {
                    unsafe { set_member!(object, value, $($path).+ $([$first; $width])?) }
                }
            )*
        }
    };
    (has $type:ident () $get:ident $($place:tt)+) => {};
    (has $type:ident ($has:ident) $get:ident $($place:tt)+) => {
        #[doc = concat!("Whether the other side has what `", stringify!($get), "` returns.")]
        ///
        /// # Safety
        /// The pointer is as `abigen_v1` says.
        pub unsafe fn $has(object: *const Self) -> bool {
            unsafe { <Self as super::abigen_v1::Versioned>::stated_size(object) >= end_of_place!($type, $($place)+) }
        }
    };
}
pub(crate) use inner_members;

/// Where a member ends, in bytes, or a bit-field.
macro_rules! end_of_place {
    ($type:ty, $($path:ident).+) => {
        end_of!($type, $($path).+)
    };
    ($type:ty, $($path:ident).+ [$first:expr; $width:expr]) => {
        offset_of!($type, $($path).+) + bytes_up_to($first + $width - 1)
    };
}
pub(crate) use end_of_place;

/// What a member or a bit-field holds.
macro_rules! get_member {
    ($object:expr, $of:ty, $($path:ident).+) => {
        ::core::ptr::addr_of!((*$object).$($path).+).read_unaligned()
    };
    ($object:expr, $of:ty, $($path:ident).+ [$first:expr; $width:expr]) => {
        <$of as BitValue>::from_bits(
            read_bits(::core::ptr::addr_of!((*$object).$($path).+) as *const u8, $first, $width),
            $width,
        )
    };
}
pub(crate) use get_member;

/// Lets a member or a bit-field hold a value.
macro_rules! set_member {
    ($object:expr, $value:expr, $($path:ident).+) => {
        ::core::ptr::addr_of_mut!((*$object).$($path).+).write_unaligned($value)
    };
    ($object:expr, $value:expr, $($path:ident).+ [$first:expr; $width:expr]) => {
        write_bits(
            ::core::ptr::addr_of_mut!((*$object).$($path).+) as *mut u8,
            $first,
            $width,
            BitValue::to_bits($value),
        )
    };
}
pub(crate) use set_member;

/// Lets a struct compile only where its size, its alignment and the places of its members are what
/// they are on each group of platforms.
macro_rules! laid_out {
    ($type:ident, size $size:expr, alignment $alignment:expr $(; $($($member:ident).+ $places:expr),+)?) => {
        const _: () = {
            assert!(holds(PLATFORM, ::core::mem::size_of::<$type>(), $size));
            assert!(holds(PLATFORM, ::core::mem::align_of::<$type>(), $alignment));
            $($(assert!(holds(PLATFORM, offset_of!($type, $($member).+), $places));)+)?
        };
    };
}
pub(crate) use laid_out;
