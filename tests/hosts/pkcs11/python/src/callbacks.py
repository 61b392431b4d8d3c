"""gain: one slot with a token that gives random numbers."""

import os

from _gain_plugin import ffi, lib

from .callback import callback, keep

errors = {"failed": lib.CKR_GENERAL_ERROR, "unsupported": lib.CKR_FUNCTION_NOT_SUPPORTED}
sessions = set()


def fill(info, **texts):
    """Fill a struct. Its texts are filled up with blanks and have no end."""
    ffi.memmove(info, bytes(ffi.sizeof(info[0])), ffi.sizeof(info[0]))
    for name, text in texts.items():
        member = getattr(info, name)
        ffi.memmove(member, text.ljust(len(member)), len(member))


@callback(**errors)
def gain_C_GetInfo(info):
    fill(info, manufacturerID=b"gain", libraryDescription=b"gain")
    info.cryptokiVersion.major, info.cryptokiVersion.minor = 2, 40
    return lib.CKR_OK


@callback(**errors)
def gain_C_GetFunctionList(function_list):
    return C_GetFunctionList(function_list)


@callback(**errors)
def gain_C_GetSlotList(token_present, slot_list, ulCount):
    room, ulCount[0] = ulCount[0], 1
    if slot_list != ffi.NULL and room < 1:
        return lib.CKR_BUFFER_TOO_SMALL
    if slot_list != ffi.NULL:
        slot_list[0] = 0
    return lib.CKR_OK


@callback(**errors)
def gain_C_GetSlotInfo(slotID, info):
    if slotID != 0:
        return lib.CKR_SLOT_ID_INVALID
    fill(info, slotDescription=b"gain slot", manufacturerID=b"gain")
    info.flags = lib.CKF_TOKEN_PRESENT
    return lib.CKR_OK


@callback(**errors)
def gain_C_GetTokenInfo(slotID, info):
    if slotID != 0:
        return lib.CKR_SLOT_ID_INVALID
    fill(info, label=b"gain token", manufacturerID=b"gain", model=b"gain", serialNumber=b"1", utcTime=b"")
    info.flags = lib.CKF_RNG | lib.CKF_TOKEN_INITIALIZED
    return lib.CKR_OK


@callback(**errors)
def gain_C_GetMechanismList(slotID, mechanism_list, ulCount):
    if slotID != 0:
        return lib.CKR_SLOT_ID_INVALID
    ulCount[0] = 0
    return lib.CKR_OK


@callback(**errors)
def gain_C_OpenSession(slotID, flags, application, notify, session):
    if slotID != 0:
        return lib.CKR_SLOT_ID_INVALID
    if not flags & lib.CKF_SERIAL_SESSION:
        return lib.CKR_SESSION_PARALLEL_NOT_SUPPORTED
    session[0] = max(sessions, default=0) + 1
    sessions.add(session[0])
    return lib.CKR_OK


@callback(**errors)
def gain_C_CloseSession(session):
    if session not in sessions:
        return lib.CKR_SESSION_HANDLE_INVALID
    sessions.remove(session)
    return lib.CKR_OK


@callback(**errors)
def gain_C_CloseAllSessions(slotID):
    sessions.clear()
    return lib.CKR_OK if slotID == 0 else lib.CKR_SLOT_ID_INVALID


@callback(**errors)
def gain_C_GenerateRandom(session, random_data, ulRandomLen):
    if session not in sessions:
        return lib.CKR_SESSION_HANDLE_INVALID
    ffi.memmove(random_data, os.urandom(ulRandomLen), ulRandomLen)
    return lib.CKR_OK


@callback(**errors)
def C_GetFunctionList(function_list):
    table = keep(ffi.new("CK_FUNCTION_LIST*"))
    if function_list == ffi.NULL or not lib.gain_fill_function_list(table):
        return lib.CKR_ARGUMENTS_BAD
    table.version.major, table.version.minor = 2, 40
    function_list[0] = table
    return lib.CKR_OK
