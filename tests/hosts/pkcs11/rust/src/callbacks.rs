// gain: one slot with a token that gives random numbers.

#[allow(unused_imports)]
use crate::{api::*, plugin::*};
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};

static SESSIONS: AtomicU64 = AtomicU64::new(0);

// Text of these structs is filled up with blanks and has no end.
fn text(to: &mut [u8], from: &[u8]) {
    to.fill(b' ');
    to[..from.len()].copy_from_slice(from);
}

fn is_session(session: CK_SESSION_HANDLE) -> bool {
    session != 0 && session <= SESSIONS.load(Ordering::Relaxed)
}

pub unsafe fn gain_C_GetInfo(info: *mut CK_INFO) -> CK_RV {
    *info = core::mem::zeroed();
    (*info).cryptokiVersion.major = 2;
    (*info).cryptokiVersion.minor = 40;
    text(&mut (*info).manufacturerID, b"gain");
    text(&mut (*info).libraryDescription, b"gain");
    CKR_OK
}

pub unsafe fn gain_C_GetFunctionList(function_list: *mut *mut CK_FUNCTION_LIST) -> CK_RV {
    C_GetFunctionList(function_list)
}

pub unsafe fn gain_C_GetSlotList(token_present: u8, slot_list: *mut CK_SLOT_ID, ulCount: *mut c_ulong) -> CK_RV {
    let _ = token_present;
    let room = *ulCount;
    *ulCount = 1;
    if !slot_list.is_null() && room < 1 {
        return CKR_BUFFER_TOO_SMALL as _;
    }
    if !slot_list.is_null() {
        *slot_list = 0;
    }
    CKR_OK
}

pub unsafe fn gain_C_GetSlotInfo(slotID: CK_SLOT_ID, info: *mut CK_SLOT_INFO) -> CK_RV {
    if slotID != 0 {
        return CKR_SLOT_ID_INVALID as _;
    }
    *info = core::mem::zeroed();
    text(&mut (*info).slotDescription, b"gain slot");
    text(&mut (*info).manufacturerID, b"gain");
    (*info).flags = CKF_TOKEN_PRESENT as _;
    CKR_OK
}

pub unsafe fn gain_C_GetTokenInfo(slotID: CK_SLOT_ID, info: *mut CK_TOKEN_INFO) -> CK_RV {
    if slotID != 0 {
        return CKR_SLOT_ID_INVALID as _;
    }
    *info = core::mem::zeroed();
    text(&mut (*info).label, b"gain token");
    text(&mut (*info).manufacturerID, b"gain");
    text(&mut (*info).model, b"gain");
    text(&mut (*info).serialNumber, b"1");
    text(&mut (*info).utcTime, b"");
    (*info).flags = (CKF_RNG | CKF_TOKEN_INITIALIZED) as _;
    CKR_OK
}

pub unsafe fn gain_C_GetMechanismList(
    slotID: CK_SLOT_ID,
    mechanism_list: *mut CK_MECHANISM_TYPE,
    ulCount: *mut c_ulong,
) -> CK_RV {
    let _ = mechanism_list;
    if slotID != 0 {
        return CKR_SLOT_ID_INVALID as _;
    }
    *ulCount = 0;
    CKR_OK
}

pub unsafe fn gain_C_OpenSession(
    slotID: CK_SLOT_ID,
    flags: CK_FLAGS,
    application: *mut c_void,
    notify: CK_NOTIFY,
    session: *mut CK_SESSION_HANDLE,
) -> CK_RV {
    let _ = (application, notify);
    if slotID != 0 {
        return CKR_SLOT_ID_INVALID as _;
    }
    if flags & CKF_SERIAL_SESSION as CK_FLAGS == 0 {
        return CKR_SESSION_PARALLEL_NOT_SUPPORTED as _;
    }
    *session = SESSIONS.fetch_add(1, Ordering::Relaxed) + 1;
    CKR_OK
}

pub unsafe fn gain_C_CloseSession(session: CK_SESSION_HANDLE) -> CK_RV {
    if is_session(session) { CKR_OK } else { CKR_SESSION_HANDLE_INVALID as _ }
}

pub unsafe fn gain_C_CloseAllSessions(slotID: CK_SLOT_ID) -> CK_RV {
    if slotID == 0 { CKR_OK } else { CKR_SLOT_ID_INVALID as _ }
}

pub unsafe fn gain_C_GenerateRandom(session: CK_SESSION_HANDLE, random_data: *mut u8, ulRandomLen: c_ulong) -> CK_RV {
    if !is_session(session) {
        return CKR_SESSION_HANDLE_INVALID as _;
    }
    let to = core::slice::from_raw_parts_mut(random_data, ulRandomLen as usize);
    match std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(to)) {
        Ok(()) => CKR_OK,
        Err(_) => CKR_DEVICE_ERROR as _,
    }
}

pub unsafe fn C_GetFunctionList(function_list: *mut *mut CK_FUNCTION_LIST) -> CK_RV {
    static mut TABLE: CK_FUNCTION_LIST = CK_FUNCTION_LIST::new();
    let table = core::ptr::addr_of_mut!(TABLE);
    if function_list.is_null() || !gain_fill_function_list(table) {
        return CKR_ARGUMENTS_BAD as _;
    }
    (*table).version.major = 2;
    (*table).version.minor = 40;
    *function_list = table;
    CKR_OK
}
