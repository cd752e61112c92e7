/*
 * core/instance/set_aside.cuh: hides the parameters that the user has defined, so that a header can include an
 * instance of its own before its core/instance/begin.cuh; core/instance/bring_back.cuh gives them back. Not nested.
 *
 * Every parameter that core/instance/end.cuh undefines stands here and there.
 */
#pragma push_macro("GP_NAME")
#pragma push_macro("GP_TYPE")
#pragma push_macro("GP_OP")
#pragma push_macro("GP_IDENTITY")
#pragma push_macro("GP_INPUT_TYPE")
#pragma push_macro("GP_LOAD")
#pragma push_macro("GP_LOAD_AT")
#pragma push_macro("GP_STORE_AT")
#pragma push_macro("GP_CONTEXT")
#pragma push_macro("GP_API")
#pragma push_macro("GP_PRED")
#pragma push_macro("GP_LESS")
#pragma push_macro("GP_EQUAL")
#pragma push_macro("GP_BIN")
#pragma push_macro("GP_KEY")
#pragma push_macro("GP_KEY_KIND")
#pragma push_macro("GP_VALUE")
#pragma push_macro("GP_DESCENDING")
#pragma push_macro("GP_INDEX")
#pragma push_macro("GP_DEVICE_N")
#pragma push_macro("GP_BLOCK")
#pragma push_macro("GP_ITEMS")
#pragma push_macro("GP_KERNEL")
#pragma push_macro("GP_GRID")
/* Looked at, so that -Wunused-macros does not call what is undefined here unused; || might not look at all. */
#if defined GP_NAME + defined GP_TYPE + defined GP_OP + defined GP_IDENTITY + \
    defined GP_INPUT_TYPE + defined GP_LOAD + defined GP_LOAD_AT + defined GP_STORE_AT + \
    defined GP_CONTEXT + defined GP_API + defined GP_PRED + defined GP_LESS + \
    defined GP_EQUAL + defined GP_BIN + defined GP_KEY + defined GP_KEY_KIND + \
    defined GP_VALUE + defined GP_DESCENDING + defined GP_INDEX + defined GP_DEVICE_N + \
    defined GP_BLOCK + defined GP_ITEMS + defined GP_KERNEL + defined GP_GRID
#endif
#undef GP_NAME
#undef GP_TYPE
#undef GP_OP
#undef GP_IDENTITY
#undef GP_INPUT_TYPE
#undef GP_LOAD
#undef GP_LOAD_AT
#undef GP_STORE_AT
#undef GP_CONTEXT
#undef GP_API
#undef GP_PRED
#undef GP_LESS
#undef GP_EQUAL
#undef GP_BIN
#undef GP_KEY
#undef GP_KEY_KIND
#undef GP_VALUE
#undef GP_DESCENDING
#undef GP_INDEX
#undef GP_DEVICE_N
#undef GP_BLOCK
#undef GP_ITEMS
#undef GP_KERNEL
#undef GP_GRID
