/* The function that XLA calls on the CPU. */
#include "xla/ffi/api/c_api.h"

static XLA_FFI_Error *failure(XLA_FFI_CallFrame *frame, XLA_FFI_Error_Code code, const char *words)
{
    XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, NULL, words, code};
    return frame->api->XLA_FFI_Error_Create(&args);
}

VISIBLE XLA_FFI_Error *call_from_xla(XLA_FFI_CallFrame *frame)
{
    XLA_FFI_Extension_Base *asked = frame->extension_start;
    if (asked && asked->type == XLA_FFI_Extension_Metadata) {
        XLA_FFI_Metadata *told = ((XLA_FFI_Metadata_Extension *) asked)->metadata;
        told->api_version.major_version = XLA_FFI_API_MAJOR;
        told->api_version.minor_version = XLA_FFI_API_MINOR;
        return NULL;
    }
    const int64_t groups = frame->args.size, outputs = frame->rets.size;
    const int64_t *dims[groups];
    const double *inputs[groups];
    double *results[outputs];
    int64_t widths[outputs], axes = 0, a, k;
    for (k = 0; k < groups; ++k) {
        const XLA_FFI_Buffer *own = frame->args.args[k];
        dims[k] = own->dims;
        inputs[k] = own->data;
        axes = own->rank - 1;
    }
    for (k = 0; k < outputs; ++k) {
        const XLA_FFI_Buffer *own = frame->rets.rets[k];
        results[k] = own->data;
        widths[k] = 1;
        for (a = axes; a < own->rank; ++a)
            widths[k] *= own->dims[a];
    }
    const int64_t *sizes = ((XLA_FFI_Buffer *) frame->rets.rets[0])->dims;
    const int64_t key = *(int64_t *) ((XLA_FFI_Scalar *) frame->attrs.attrs[0])->value;
    const int problem = evaluate_batches(
        key, groups, axes, dims, inputs, sizes, outputs, widths, results);
    if (problem == 2)
        return failure(frame, XLA_FFI_Error_Code_NOT_FOUND,
                       "this process has not made the kernel: call to_jax in it");
    if (problem)
        return failure(frame, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED,
                       "a kernel was short of memory");
    return NULL;
}
