// gain: one slot with a token that gives random numbers.

#include <cstdio>
#include <cstring>

#include "plugin.hpp"

static bool initialized;
static unsigned long sessions;

// Text of these structs is filled up with blanks and has no end.
static void text(unsigned char* to, size_t size, const char* from) {
  std::memset(to, ' ', size);
  std::memcpy(to, from, std::strlen(from));
}

CK_RV gain::CKFUNCTIONLISTFns::C_Initialize(void* init_args) {
  (void)init_args;
  if (initialized) {
    return CKR_CRYPTOKI_ALREADY_INITIALIZED;
  }
  initialized = true;
  return CKR_OK;
}

CK_RV gain::CKFUNCTIONLISTFns::C_Finalize(void* pReserved) {
  (void)pReserved;
  initialized = false;
  sessions = 0;
  return CKR_OK;
}

CK_RV gain::CKFUNCTIONLISTFns::C_GetInfo(CK_INFO* info) {
  std::memset(info, 0, sizeof(*info));
  info->cryptokiVersion.major = 2;
  info->cryptokiVersion.minor = 40;
  text(info->manufacturerID, sizeof(info->manufacturerID), "gain");
  text(info->libraryDescription, sizeof(info->libraryDescription), "gain");
  return CKR_OK;
}

CK_RV gain::CKFUNCTIONLISTFns::C_GetSlotList(unsigned char token_present, CK_SLOT_ID* slot_list,
                         unsigned long* ulCount) {
  (void)token_present;
  if (slot_list != nullptr && *ulCount < 1) {
    *ulCount = 1;
    return CKR_BUFFER_TOO_SMALL;
  }
  *ulCount = 1;
  if (slot_list != nullptr) {
    slot_list[0] = 0;
  }
  return CKR_OK;
}

CK_RV gain::CKFUNCTIONLISTFns::C_GetSlotInfo(CK_SLOT_ID slotID, CK_SLOT_INFO* info) {
  if (slotID != 0) {
    return CKR_SLOT_ID_INVALID;
  }
  std::memset(info, 0, sizeof(*info));
  text(info->slotDescription, sizeof(info->slotDescription), "gain slot");
  text(info->manufacturerID, sizeof(info->manufacturerID), "gain");
  info->flags = CKF_TOKEN_PRESENT;
  return CKR_OK;
}

CK_RV gain::CKFUNCTIONLISTFns::C_GetTokenInfo(CK_SLOT_ID slotID, CK_TOKEN_INFO* info) {
  if (slotID != 0) {
    return CKR_SLOT_ID_INVALID;
  }
  std::memset(info, 0, sizeof(*info));
  text(info->label, sizeof(info->label), "gain token");
  text(info->manufacturerID, sizeof(info->manufacturerID), "gain");
  text(info->model, sizeof(info->model), "gain");
  text(info->serialNumber, sizeof(info->serialNumber), "1");
  text(info->utcTime, sizeof(info->utcTime), "");
  info->flags = CKF_RNG | CKF_TOKEN_INITIALIZED;
  return CKR_OK;
}

CK_RV gain::CKFUNCTIONLISTFns::C_GetMechanismList(CK_SLOT_ID slotID,
                              CK_MECHANISM_TYPE* mechanism_list,
                              unsigned long* ulCount) {
  (void)mechanism_list;
  if (slotID != 0) {
    return CKR_SLOT_ID_INVALID;
  }
  *ulCount = 0;
  return CKR_OK;
}

CK_RV gain::CKFUNCTIONLISTFns::C_OpenSession(CK_SLOT_ID slotID, CK_FLAGS flags, void* application,
                         CK_NOTIFY notify, CK_SESSION_HANDLE* session) {
  (void)application;
  (void)notify;
  if (slotID != 0) {
    return CKR_SLOT_ID_INVALID;
  }
  if ((flags & CKF_SERIAL_SESSION) == 0) {
    return CKR_SESSION_PARALLEL_NOT_SUPPORTED;
  }
  *session = ++sessions;
  return CKR_OK;
}

CK_RV gain::CKFUNCTIONLISTFns::C_CloseSession(CK_SESSION_HANDLE session) {
  return session != 0 && session <= sessions ? CKR_OK
                                             : CKR_SESSION_HANDLE_INVALID;
}

CK_RV gain::CKFUNCTIONLISTFns::C_CloseAllSessions(CK_SLOT_ID slotID) {
  return slotID == 0 ? CKR_OK : CKR_SLOT_ID_INVALID;
}

CK_RV gain::CKFUNCTIONLISTFns::C_GenerateRandom(CK_SESSION_HANDLE session,
                            unsigned char* random_data,
                            unsigned long ulRandomLen) {
  if (session == 0 || session > sessions) {
    return CKR_SESSION_HANDLE_INVALID;
  }
  std::FILE* file = std::fopen("/dev/urandom", "rb");
  const size_t size =
      file != nullptr ? std::fread(random_data, 1, ulRandomLen, file) : 0;
  if (file != nullptr) {
    (void)std::fclose(file);
  }
  return size == ulRandomLen ? CKR_OK : CKR_DEVICE_ERROR;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST** function_list) {
  static CK_FUNCTION_LIST table;
  if (function_list == nullptr || !gain::Fill(&table)) {
    return CKR_ARGUMENTS_BAD;
  }
  table.version.major = 2;
  table.version.minor = 40;
  *function_list = &table;
  return CKR_OK;
}

CK_RV gain::CKFUNCTIONLISTFns::C_GetFunctionList(CK_FUNCTION_LIST** function_list) {
  return ::C_GetFunctionList(function_list);
}
