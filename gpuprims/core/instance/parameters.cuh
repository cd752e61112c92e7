/*
 * core/instance/parameters.cuh: refuses each parameter that the header does not take with an #error of its own.
 *
 * Next to its GPI_TAG a header defines GPI_HEADER, as users write it, and GPI_TAKES, the parameters that it
 * takes besides GP_NAME. An #error expands no macro, but #line does; after it the compiler says
 *
 *     gpuprims/scan.cuh:1:2: error: #error "GP_LESS is not a parameter of this header"
 *
 * What is refused is undefined, so that no other error follows. A new parameter is added here, to
 * core/instance/begin.cuh, core/instance/end.cuh, core/instance/set_aside.cuh and core/instance/bring_back.cuh.
 *
 * Part of core/instance/begin.cuh.
 */
#define GPI_TAKES_TYPE       0x000001
#define GPI_TAKES_OP         0x000002
#define GPI_TAKES_IDENTITY   0x000004
#define GPI_TAKES_INPUT_TYPE 0x000008
#define GPI_TAKES_LOAD       0x000010
#define GPI_TAKES_LOAD_AT    0x000020
#define GPI_TAKES_STORE_AT   0x000040
#define GPI_TAKES_KEY        0x000080
#define GPI_TAKES_KEY_KIND   0x000100
#define GPI_TAKES_VALUE      0x000200
#define GPI_TAKES_DESCENDING 0x000400
#define GPI_TAKES_LESS       0x000800
#define GPI_TAKES_EQUAL      0x001000
#define GPI_TAKES_PRED       0x002000
#define GPI_TAKES_BIN        0x004000
#define GPI_TAKES_CONTEXT    0x008000
#define GPI_TAKES_INDEX      0x010000
#define GPI_TAKES_DEVICE_N   0x020000
#define GPI_TAKES_BLOCK      0x040000
#define GPI_TAKES_ITEMS      0x080000
#define GPI_TAKES_API        0x100000
#define GPI_TAKES_KERNEL     0x200000
#define GPI_TAKES_GRID       0x400000

#if defined GP_TYPE && !((GPI_TAKES) & GPI_TAKES_TYPE)
#line 1 GPI_HEADER
#error "GP_TYPE is not a parameter of this header"
#undef GP_TYPE
#endif

#if defined GP_OP && !((GPI_TAKES) & GPI_TAKES_OP)
#line 1 GPI_HEADER
#error "GP_OP is not a parameter of this header"
#undef GP_OP
#endif

#if defined GP_IDENTITY && !((GPI_TAKES) & GPI_TAKES_IDENTITY)
#line 1 GPI_HEADER
#error "GP_IDENTITY is not a parameter of this header"
#undef GP_IDENTITY
#endif

#if defined GP_INPUT_TYPE && !((GPI_TAKES) & GPI_TAKES_INPUT_TYPE)
#line 1 GPI_HEADER
#error "GP_INPUT_TYPE is not a parameter of this header"
#undef GP_INPUT_TYPE
#endif

#if defined GP_LOAD && !((GPI_TAKES) & GPI_TAKES_LOAD)
#line 1 GPI_HEADER
#error "GP_LOAD is not a parameter of this header"
#undef GP_LOAD
#endif

#if defined GP_LOAD_AT && !((GPI_TAKES) & GPI_TAKES_LOAD_AT)
#line 1 GPI_HEADER
#error "GP_LOAD_AT is not a parameter of this header"
#undef GP_LOAD_AT
#endif

#if defined GP_STORE_AT && !((GPI_TAKES) & GPI_TAKES_STORE_AT)
#line 1 GPI_HEADER
#error "GP_STORE_AT is not a parameter of this header"
#undef GP_STORE_AT
#endif

#if defined GP_KEY && !((GPI_TAKES) & GPI_TAKES_KEY)
#line 1 GPI_HEADER
#error "GP_KEY is not a parameter of this header"
#undef GP_KEY
#endif

#if defined GP_KEY_KIND && !((GPI_TAKES) & GPI_TAKES_KEY_KIND)
#line 1 GPI_HEADER
#error "GP_KEY_KIND is not a parameter of this header"
#undef GP_KEY_KIND
#endif

#if defined GP_VALUE && !((GPI_TAKES) & GPI_TAKES_VALUE)
#line 1 GPI_HEADER
#error "GP_VALUE is not a parameter of this header"
#undef GP_VALUE
#endif

#if defined GP_DESCENDING && !((GPI_TAKES) & GPI_TAKES_DESCENDING)
#line 1 GPI_HEADER
#error "GP_DESCENDING is not a parameter of this header"
#undef GP_DESCENDING
#endif

#if defined GP_LESS && !((GPI_TAKES) & GPI_TAKES_LESS)
#line 1 GPI_HEADER
#error "GP_LESS is not a parameter of this header"
#undef GP_LESS
#endif

#if defined GP_EQUAL && !((GPI_TAKES) & GPI_TAKES_EQUAL)
#line 1 GPI_HEADER
#error "GP_EQUAL is not a parameter of this header"
#undef GP_EQUAL
#endif

#if defined GP_PRED && !((GPI_TAKES) & GPI_TAKES_PRED)
#line 1 GPI_HEADER
#error "GP_PRED is not a parameter of this header"
#undef GP_PRED
#endif

#if defined GP_BIN && !((GPI_TAKES) & GPI_TAKES_BIN)
#line 1 GPI_HEADER
#error "GP_BIN is not a parameter of this header"
#undef GP_BIN
#endif

#if defined GP_CONTEXT && !((GPI_TAKES) & GPI_TAKES_CONTEXT)
#line 1 GPI_HEADER
#error "GP_CONTEXT is not a parameter of this header"
#undef GP_CONTEXT
#endif

#if defined GP_INDEX && !((GPI_TAKES) & GPI_TAKES_INDEX)
#line 1 GPI_HEADER
#error "GP_INDEX is not a parameter of this header"
#undef GP_INDEX
#endif

#if defined GP_DEVICE_N && !((GPI_TAKES) & GPI_TAKES_DEVICE_N)
#line 1 GPI_HEADER
#error "GP_DEVICE_N is not a parameter of this header"
#undef GP_DEVICE_N
#endif

#if defined GP_BLOCK && !((GPI_TAKES) & GPI_TAKES_BLOCK)
#line 1 GPI_HEADER
#error "GP_BLOCK is not a parameter of this header"
#undef GP_BLOCK
#endif

#if defined GP_ITEMS && !((GPI_TAKES) & GPI_TAKES_ITEMS)
#line 1 GPI_HEADER
#error "GP_ITEMS is not a parameter of this header"
#undef GP_ITEMS
#endif

#if defined GP_API && !((GPI_TAKES) & GPI_TAKES_API)
#line 1 GPI_HEADER
#error "GP_API is not a parameter of this header"
#undef GP_API
#endif

#if defined GP_KERNEL && !((GPI_TAKES) & GPI_TAKES_KERNEL)
#line 1 GPI_HEADER
#error "GP_KERNEL is not a parameter of this header"
#undef GP_KERNEL
#endif

#if defined GP_GRID && !((GPI_TAKES) & GPI_TAKES_GRID)
#line 1 GPI_HEADER
#error "GP_GRID is not a parameter of this header"
#undef GP_GRID
#endif
