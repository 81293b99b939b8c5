/*
 * A stand-in for NVIDIA's libnvidia-ml.so.1: as many whole GPUs as PODWIRE_GPUS says, MIG off.
 *
 * It has the functions that the container toolkit calls to list GPUs (go-nvml, go-nvlib). Error
 * numbers and texts are those of nvml.h; what NVML answers to an unknown index or UUID was seen
 * with a real driver.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };
enum { MOST = 16 };

typedef struct gpu {
  unsigned index;
} *device;

typedef struct {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
} pci_info;

static struct gpu gpus[MOST];

static unsigned count(void) {
  const char *text = getenv("PODWIRE_GPUS");
  unsigned wanted = text ? (unsigned)atoi(text) : 2;
  return wanted > MOST ? MOST : wanted;
}

static void write_uuid(unsigned index, char *text, size_t length) {
  snprintf(text, length, "GPU-0000000%x-aaaa-bbbb-cccc-dddddddddddd", index);
}

static int copy(const char *from, char *to, unsigned length) {
  if (strlen(from) >= length) return INSUFFICIENT_SIZE;
  strcpy(to, from);
  return SUCCESS;
}

int nvmlInit_v2(void) { return SUCCESS; }
int nvmlInitWithFlags(unsigned flags) { (void)flags; return SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }

const char *nvmlErrorString(int result) {
  switch (result) {
    case SUCCESS: return "Success";
    case INVALID_ARGUMENT: return "Invalid Argument";
    case NOT_SUPPORTED: return "Not Supported";
    case NOT_FOUND: return "Not Found";
    case INSUFFICIENT_SIZE: return "Insufficient Size";
    default: return "Unknown Error";
  }
}

int nvmlSystemGetDriverVersion(char *text, unsigned length) { return copy("570.00", text, length); }

int nvmlDeviceGetCount_v2(unsigned *found) {
  *found = count();
  return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, device *found) {
  if (index >= count()) return INVALID_ARGUMENT;
  gpus[index].index = index;
  *found = &gpus[index];
  return SUCCESS;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, device *found) {
  char own[64];
  for (unsigned index = 0; index < count(); index++) {
    write_uuid(index, own, sizeof own);
    if (strcmp(own, uuid) == 0) return nvmlDeviceGetHandleByIndex_v2(index, found);
  }
  return NOT_FOUND;
}

int nvmlDeviceGetUUID(device gpu, char *text, unsigned length) {
  char own[64];
  write_uuid(gpu->index, own, sizeof own);
  return copy(own, text, length);
}

int nvmlDeviceGetIndex(device gpu, unsigned *index) {
  *index = gpu->index;
  return SUCCESS;
}

int nvmlDeviceGetMinorNumber(device gpu, unsigned *minor) { return nvmlDeviceGetIndex(gpu, minor); }

int nvmlDeviceGetName(device gpu, char *text, unsigned length) {
  (void)gpu;
  return copy("NVIDIA H200", text, length);
}

int nvmlDeviceGetPciInfo_v3(device gpu, pci_info *info) {
  memset(info, 0, sizeof *info);
  info->bus = 0x10 + gpu->index;
  snprintf(info->bus_id_legacy, sizeof info->bus_id_legacy, "0000:%02X:00.0", info->bus);
  snprintf(info->bus_id, sizeof info->bus_id, "00000000:%02X:00.0", info->bus);
  return SUCCESS;
}

int nvmlDeviceGetMigMode(device gpu, unsigned *current, unsigned *pending) {
  (void)gpu;
  *current = *pending = 0;
  return SUCCESS;
}

int nvmlDeviceIsMigDeviceHandle(device gpu, unsigned *answer) {
  (void)gpu;
  *answer = 0;
  return SUCCESS;
}

int nvmlDeviceGetMaxMigDeviceCount(device gpu, unsigned *most) {
  (void)gpu;
  *most = 7;
  return SUCCESS;
}

int nvmlDeviceGetMigDeviceHandleByIndex(device gpu, unsigned index, device *found) {
  (void)gpu, (void)index, (void)found;
  return NOT_FOUND;
}

int nvmlDeviceGetBrand(device gpu, int *brand) {
  (void)gpu;
  *brand = 2;
  return SUCCESS;
}

int nvmlDeviceGetCudaComputeCapability(device gpu, int *major, int *minor) {
  (void)gpu;
  *major = 9;
  *minor = 0;
  return SUCCESS;
}
