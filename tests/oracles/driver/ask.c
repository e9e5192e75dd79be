/* Asks AMD's driver of the AI Engine array (aie-rt, libxaiengine) whether it would configure what a plan needs.
 *
 * Commands come on standard input, one a line; the answers go to the file that is named, one a line: 0, or the driver's
 * return code (xaiegbl.h: AieRC), or one of our own where the driver lets the first number beyond a limit pass. The debug
 * backend touches no device: it prints what it would write, to standard output.
 *
 *   device GENERATION COLUMNS ROWS MEMORY_TILE_ROWS COLUMN_SHIFT ROW_SHIFT      rows include interface and memory tiles
 *   descriptor COL ROW NUMBER ADDRESS BYTES LOCK VALUE DIMENSIONS (STEP WRAP)... ITERATION_STEP ITERATIONS PADS (BEFORE AFTER)...
 *   queue COL ROW DIRECTION CHANNEL DESCRIPTOR                                   direction 0: into memory, 1: out of it
 *   lock COL ROW NUMBER VALUE
 *   switch COL ROW SLAVE NUMBER MASTER NUMBER                                    ports as in StrmSwPortType
 *   in COL PORT BITS REGISTERED
 *   out COL PORT BITS
 *   cascade COL ROW IN OUT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xaiengine.h>
#include <xaiengine/xaiegbl_regdef.h>

enum { NO_CHANNEL = 1001, NO_DESCRIPTOR, NO_LOCK, NO_OUTPUT, UNKNOWN = 1999 };
enum { TABLE = 64 };

static XAie_DevInst Device;

static const XAie_TileMod *module_at(XAie_LocType at) {
  return &Device.DevProp.DevMod[Device.DevOps->GetTTypefromLoc(&Device, at)];
}

static long next(void) {
  char *word = strtok(NULL, " \n");
  return word ? strtol(word, NULL, 0) : 0;
}

static XAie_LocType place(void) {
  long col = next();
  return XAie_TileLoc((u8)col, (u8)next());
}

static int start(void) {
  XAie_Config config;
  memset(&config, 0, sizeof config);
  config.AieGen = (u8)next();
  config.NumCols = (u8)next();
  config.NumRows = (u8)next();
  config.MemTileNumRows = (u8)next();
  config.ColShift = (u8)next();
  config.RowShift = (u8)next();
  config.BaseAddr = 0x20000000000;
  config.ShimRowNum = 0;
  config.MemTileRowStart = config.MemTileNumRows ? 1 : 0;
  config.AieTileRowStart = (u8)(1 + config.MemTileNumRows);
  config.AieTileNumRows = (u8)(config.NumRows - config.AieTileRowStart);
  memset(&Device, 0, sizeof Device);
  return XAie_CfgInitialize(&Device, &config);
}

static int addresses(XAie_DmaDesc *desc, u64 address, u32 bytes) {
  XAie_DmaDimDesc dims[8];
  long count = next();
  memset(dims, 0, sizeof dims);
  for (long i = 0; i < count && i < 8; i++) {
    u32 step = (u32)next();
    u16 wrap = (u16)next();
    if (Device.DevProp.DevGen == XAIE_DEV_GEN_AIE) {
      dims[i].AieDimDesc = (XAie_AieDmaDimDesc){.Offset = 0, .Incr = step, .Wrap = wrap};
    } else {
      dims[i].AieMlDimDesc = (XAie_AieMlDmaDimDesc){.StepSize = step, .Wrap = wrap};
    }
  }
  if (count == 0) return XAie_DmaSetAddrLen(desc, address, bytes);
  XAie_DmaTensor tensor = {.NumDim = (u8)count, .Dim = dims};
  return XAie_DmaSetMultiDimAddr(desc, &tensor, address, bytes);
}

static int descriptor(void) {
  XAie_LocType at = place();
  XAie_DmaDesc desc;
  u16 number = (u16)next();
  u64 address = (u64)next();
  u32 bytes = (u32)next();
  u16 lock = (u16)next();
  s8 value = (s8)next();
  int code = XAie_DmaDescInit(&Device, &desc, at);
  if (code != XAIE_OK) return code;
  if ((code = addresses(&desc, address, bytes)) != XAIE_OK) return code;
  u32 step = (u32)next();
  u16 times = (u16)next();
  if (times > 1 && (code = XAie_DmaSetBdIteration(&desc, step, times, 0)) != XAIE_OK) return code;
  XAie_PadDesc pads[8];
  long count = next();
  for (long i = 0; i < count && i < 8; i++) {
    long before = next(), after = next();
    if (before > 255 || after > 255) return XAIE_INVALID_ARGS;
    pads[i] = (XAie_PadDesc){.Before = (u8)before, .After = (u8)after};
  }
  if (count > 0) {
    XAie_DmaPadTensor tensor = {.NumDim = (u8)count, .PadDesc = pads};
    if ((code = XAie_DmaSetPadding(&desc, &tensor)) != XAIE_OK) return code;
  }
  XAie_Lock acquire = XAie_LockInit(lock, value), release = XAie_LockInit(lock, (s8)(value ? 0 : 1));
  if (lock >= module_at(at)->DmaMod->NumLocks) return NO_LOCK;
  if ((code = XAie_DmaSetLock(&desc, acquire, release)) != XAIE_OK) return code;
  if ((code = XAie_DmaEnableBd(&desc)) != XAIE_OK) return code;
  if (number >= module_at(at)->DmaMod->NumBds) return NO_DESCRIPTOR;
  return XAie_DmaWriteBd(&Device, &desc, at, number);
}

static int queue(void) {
  XAie_LocType at = place();
  XAie_DmaDirection direction = next() ? DMA_MM2S : DMA_S2MM;
  u8 channel = (u8)next();
  u16 number = (u16)next();
  if (channel >= module_at(at)->DmaMod->NumChannels) return NO_CHANNEL;
  if (number >= module_at(at)->DmaMod->NumBds) return NO_DESCRIPTOR;
  int code = XAie_DmaChannelPushBdToQueue(&Device, at, channel, direction, number);
  if (code == XAIE_OK) code = XAie_DmaChannelEnable(&Device, at, channel, direction);
  return code;
}

static int lock(void) {
  XAie_LocType at = place();
  u16 number = (u16)next();
  s8 value = (s8)next();
  const XAie_LockMod *locks = module_at(at)->LockMod;
  if (number >= locks->NumLocks) return NO_LOCK;
  if (value < locks->LockValLowerBound || value > locks->LockValUpperBound) return XAIE_INVALID_LOCK_VALUE;
  XAie_Lock wanted = XAie_LockInit(number, value);
  if (Device.DevProp.DevGen != XAIE_DEV_GEN_AIE) return XAie_LockSetValue(&Device, at, wanted);
  int code = XAie_LockAcquire(&Device, at, wanted, 0); /* its locks are acquired, not set; nobody releases this one */
  return code == XAIE_LOCK_RESULT_FAILED ? XAIE_OK : code;
}

static int connect(void) {
  XAie_LocType at = place();
  StrmSwPortType slave = (StrmSwPortType)next();
  u8 from = (u8)next();
  StrmSwPortType master = (StrmSwPortType)next();
  return XAie_StrmConnCctEnable(&Device, at, slave, from, master, (u8)next());
}

static XAie_PlIfWidth width(long bits) {
  return bits == 32 ? PLIF_WIDTH_32 : bits == 64 ? PLIF_WIDTH_64 : bits == 128 ? PLIF_WIDTH_128 : (XAie_PlIfWidth)0;
}

static int to_array(void) {
  XAie_LocType at = XAie_TileLoc((u8)next(), 0);
  u8 port = (u8)next();
  long bits = next();
  int code = XAie_PlToAieIntfEnable(&Device, at, port, width(bits));
  if (code != XAIE_OK || !next()) return code;
  for (u8 p = port; p <= port + (bits == 128) && code == XAIE_OK; p++) {
    code = XAie_PlIfBliBypassDisable(&Device, at, p); /* registers in use */
  }
  return code;
}

static int from_array(void) {
  XAie_LocType at = XAie_TileLoc((u8)next(), 0);
  u8 port = (u8)next();
  long bits = next();
  if (port + (bits == 128) >= 6) return NO_OUTPUT; /* AM009: six; the driver counts eight as into the array */
  return XAie_AieToPlIntfEnable(&Device, at, port, width(bits));
}

static int cascade(void) {
  XAie_LocType at = place();
  StrmSwPortType in = (StrmSwPortType)next();
  return XAie_CoreConfigAccumulatorControl(&Device, at, in, (StrmSwPortType)next());
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(void);
  } commands[] = {{"device", start},    {"descriptor", descriptor}, {"queue", queue},      {"lock", lock},
                  {"switch", connect},  {"in", to_array},           {"out", from_array}, {"cascade", cascade}};
  FILE *answers = argc > 1 ? fopen(argv[1], "w") : NULL;
  char *line = NULL;
  size_t room = 0;
  if (!answers) return 2;
  while (getline(&line, &room, stdin) > 0) {
    const char *name = strtok(line, " \n");
    int code = UNKNOWN;
    for (size_t i = 0; name && i < sizeof commands / sizeof *commands; i++) {
      if (strcmp(name, commands[i].name) == 0) code = commands[i].run();
    }
    fprintf(answers, "%d\n", code);
  }
  free(line);
  return fclose(answers) == 0 ? 0 : 2;
}
