/* Ingot's C API: load a package, run it on DLPack tensors.
 *
 * Errors.  A function that can fail returns NULL for success, else a status that the caller frees
 * with ingot_status_free. No call aborts or throws, whatever it is given, as long as pointers point
 * to what their type says. Output parameters are set to NULL first.
 *
 * Ownership.  ingot_X_free(NULL) is allowed. A context keeps its program alive, an output tensor
 * its memory: they may be freed in any order. Strings and arrays in the `info` structures belong to
 * the program. Tensors passed in are borrowed for the duration of the call.
 *
 * Threads.  Everything taking an ingot_program may be called from several threads at once, weight
 * updates included. A context is for one thread at a time (a second one gets an error); contexts of
 * one program run at the same time. Output tensors may be freed on any thread. */
#ifndef INGOT_INGOT_H_
#define INGOT_INGOT_H_

#include <stddef.h>
#include <stdint.h>

#include "dlpack.h"

#if defined(_WIN32)
#define INGOT_API
#else
#define INGOT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ingot_status ingot_status;
typedef struct ingot_program ingot_program; /* a loaded package on a device, immutable */
typedef struct ingot_context ingot_context; /* one thread's states and scratch memory */

/* ---- Errors ---- */

enum ingot_code {
  INGOT_OK = 0,
  INGOT_INVALID_ARGUMENT = 1, /* the call is wrong */
  INGOT_INVALID_DATA = 2,     /* the package or an input is at fault */
  INGOT_ENVIRONMENT = 3,      /* no such device, no memory, a file that cannot be written */
  INGOT_INTERNAL = 4          /* a bug in Ingot */
};

/* All accept NULL, which stands for success. */
INGOT_API int32_t ingot_status_code(const ingot_status* status);
/* The number that the command line prints as error[E0503]; 0 for success. */
INGOT_API int32_t ingot_status_id(const ingot_status* status);
/* What went wrong, then a line per note ("at model.py:12 in forward: …"). Belongs to the status. */
INGOT_API const char* ingot_status_message(const ingot_status* status);
INGOT_API void ingot_status_free(ingot_status* status);

/* "0.1.0" */
INGOT_API const char* ingot_version(void);

/* ---- Programs ---- */

/* Zero-initialise; a field left at zero has its default. */
typedef struct ingot_load_options {
  const char* device;       /* "cpu" (the default) or "cuda:N" */
  const char* plan_target;  /* the plan to run, by its target; default: the device's best */
  const char* weights_path; /* the weights file of a package without weights inside; default: the
                             * one beside the package */
  int32_t cpu_threads;      /* threads that the CPU device computes with; default: all cores */
} ingot_load_options;

/* `options` may be NULL. The file must not change while the program lives: its weights are used
 * where they lie. */
INGOT_API ingot_status* ingot_program_load(const char* path, const ingot_load_options* options,
                                           ingot_program** program);
/* The same for a package in memory, which is not copied: it must stay as it is until the program
 * and all its contexts are freed. `data` must be aligned to 64 bytes. */
INGOT_API ingot_status* ingot_program_load_memory(const void* data, size_t bytes,
                                                  const ingot_load_options* options,
                                                  ingot_program** program);
INGOT_API void ingot_program_free(ingot_program* program);

enum ingot_kind {
  INGOT_TENSOR = 0,
  INGOT_NONE = 1, /* the other kinds are Python values */
  INGOT_BOOL = 2,
  INGOT_INT = 3,
  INGOT_FLOAT = 4,
  INGOT_STRING = 5,
  INGOT_INPUT = 6 /* of outputs only: the caller's own tensor, input number `integer` */
};

/* One dimension: every size from `min` to `max` (INT64_MAX: no limit) that fits the other inputs.
 */
typedef struct ingot_dim {
  int64_t min;
  int64_t max;
  const char* expression; /* "64", "s0", "2*s0 + 1": equal symbols are equal sizes */
} ingot_dim;

/* An input, output, state or weight. */
typedef struct ingot_info {
  const char* name;
  int32_t kind;           /* ingot_kind */
  int32_t burned_in;      /* inputs: 1 if the value below is the only one allowed */
  int32_t mutated;        /* inputs: 1 if the model writes to the caller's tensor */
  int32_t rank;           /* of a tensor */
  DLDataType dtype;       /* of a tensor */
  const char* dtype_name; /* "f32", "bf16", "i64", … */
  const ingot_dim* dims;  /* `rank` of them */
  int64_t integer;        /* a burned-in bool or integer; an INGOT_INPUT output's input */
  double real;            /* a burned-in float */
  const char* string;     /* a burned-in string */
} ingot_info;

INGOT_API size_t ingot_program_input_count(const ingot_program* program);
INGOT_API size_t ingot_program_output_count(const ingot_program* program);
INGOT_API size_t ingot_program_state_count(const ingot_program* program);
INGOT_API size_t ingot_program_weight_count(const ingot_program* program);
INGOT_API ingot_status* ingot_program_input(const ingot_program* program, size_t index,
                                            ingot_info* info);
INGOT_API ingot_status* ingot_program_output(const ingot_program* program, size_t index,
                                             ingot_info* info);
INGOT_API ingot_status* ingot_program_state(const ingot_program* program, size_t index,
                                            ingot_info* info);
INGOT_API ingot_status* ingot_program_weight(const ingot_program* program, size_t index,
                                             ingot_info* info);

/* Replaces `count` weights by their PyTorch names, in one step: every run sees wholly old or wholly
 * new values. A weight tied to others changes them too. The tensors (host memory, any strides) must
 * have the weights' dtypes and sizes; they are copied. States keep their contents. */
INGOT_API ingot_status* ingot_program_update_weights(ingot_program* program,
                                                     const char* const* names,
                                                     const DLTensor* const* tensors, size_t count);

/* ---- Running ---- */

INGOT_API ingot_status* ingot_context_create(ingot_program* program, ingot_context** context);
INGOT_API void ingot_context_free(ingot_context* context);

enum ingot_flags { INGOT_READ_ONLY = 1 /* refuse rather than write to this tensor */ };

/* One value given to a run. Zero-initialise, then set what `kind` needs. */
typedef struct ingot_input {
  const char* name; /* NULL: by position, among the inputs that are not named */
  int32_t kind;     /* ingot_kind */
  uint32_t flags;   /* ingot_flags */
  const DLTensor* tensor;
  int64_t integer; /* INGOT_BOOL: 0 or 1 */
  double real;
  const char* string;
} ingot_input;

/* One result of a run. Zero-initialise; all but `destination` are set by the run. */
typedef struct ingot_output {
  const DLTensor* destination; /* where to write the result; NULL: a tensor of the context's pool */
  int32_t kind;                /* ingot_kind */
  DLManagedTensorVersioned* tensor; /* without destination: the caller calls its deleter when done,
                                       which makes the memory free for later runs */
  int64_t integer;
  double real;
  const char* string;
} ingot_output;

/* Runs the model once. `inputs` may leave out burned-in values; `outputs` has one element per
 * output of the program, or `output_count` is 0. Inputs and destinations may have any strides and
 * alignment; inputs that the model mutates are updated in place. Tensors of the pool are never
 * overwritten before their deleter is called. `stream` is a CUDA stream that orders the run among
 * other work; the CPU ignores it. After a failed run, states hold what the steps before it left. */
INGOT_API ingot_status* ingot_context_run(ingot_context* context, const ingot_input* inputs,
                                          size_t input_count, ingot_output* outputs,
                                          size_t output_count, void* stream);

/* ---- State: what the model keeps between runs, by its PyTorch name ---- */

/* Back to the values in the weights; NULL means every state. */
INGOT_API ingot_status* ingot_context_reset_state(ingot_context* context, const char* name);
/* Copies between a state and a host tensor of its dtype and sizes, at any strides. */
INGOT_API ingot_status* ingot_context_read_state(ingot_context* context, const char* name,
                                                 const DLTensor* destination);
INGOT_API ingot_status* ingot_context_write_state(ingot_context* context, const char* name,
                                                  const DLTensor* source);

#ifdef __cplusplus
}
#endif

#endif /* INGOT_INGOT_H_ */
