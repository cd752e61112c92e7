/*
 * core/backend/cpu/backend.h: the CPU backend. CUDA's keywords and runtime calls for a C or C++
 * compiler.
 *
 * A kernel runs thread by thread on the CPU: each block is a set of fibers, each resident block has
 * an operating-system thread of its own, so blocks that wait for each other make progress. What the
 * backend adds over a GPU: a seeded random schedule of the fibers, an error that says which threads
 * wait where when a barrier can never complete, and shared and device memory guarded by
 * AddressSanitizer. Launches are synchronous.
 *
 * Settings, in the struct `gp_cpu` or as environment variables read once:
 *
 *     gp_cpu.seed              GP_CPU_SEED             schedule of the fibers; 0: round robin
 *     gp_cpu.resident_blocks   GP_CPU_RESIDENT_BLOCKS  resident blocks: the multiprocessor count
 *     gp_cpu.memory_bytes      GP_CPU_MEMORY           size of the pretended device memory
 *     gp_cpu.patience_ms       GP_CPU_PATIENCE_MS      how long all threads may poll in vain
 *
 * Part of gpuprims.h; not to be included directly.
 */
#ifndef GPI_CPU_BACKEND_H
#define GPI_CPU_BACKEND_H

#if !defined __cplusplus && (!defined __GNUC__ || defined __clang__)
#error "gpuprims: the CPU backend needs gcc for C (nested functions), or any compiler in C++17 mode"
#endif

#include "runtime.h"
#include "fiber.h"
#include "barrier.h"
#include "warp.h"
#include "atomic.h"
#include "shared.h"
#include "launch.h"

#endif
