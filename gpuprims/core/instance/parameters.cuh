/*
 * core/instance/parameters.cuh: the parameters of headers, each with everything that is done with it. Included with
 * GPI_STEP, what is to be done with all of them:
 *
 *     GPI_CHECK         refuses those that the header does not take with an #error each
 *     GPI_FILL_IN       defines defaults and, for wrong values, GPI_MISSING_... and GPI_WRONG_...
 *     GPI_SET_ASIDE     hides what the user has defined, so that a header can include an instance of its own before its
 *                       begin.cuh; not nested
 *     GPI_BRING_BACK    restores it
 *     GPI_FORGET        undefines them: they are consumed
 *
 * Next to its GPI_TAG a header defines GPI_HEADER, as users write it, and GPI_TAKES, the parameters that it takes
 * besides GP_NAME. An #error expands no macro, but #line does; after it the compiler says
 *
 *     gpuprims/scan.cuh:1:2: error: #error "GP_LESS is not a parameter of this header"
 *
 * What is refused is undefined, so that no other error follows. Setting aside tests whether a parameter is defined, or
 * -Wunused-macros would report it.
 */
#ifndef GPI_CHECK
#define GPI_CHECK      1
#define GPI_FILL_IN    2
#define GPI_SET_ASIDE  3
#define GPI_BRING_BACK 4
#define GPI_FORGET     5
#endif

/* GP_NAME: the prefix of every generated name. GPI_DEFAULT stays defined when no parameter at all is given. */
#if GPI_STEP == GPI_CHECK
#define GPI_DEFAULT
#ifdef GP_NAME
#undef GPI_DEFAULT
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_NAME
#ifdef GPI_DEFAULT
#define GP_NAME gp
#else
#define GPI_MISSING_NAME
#define GP_NAME gpi_unnamed
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_NAME")
#ifdef GP_NAME
#undef GP_NAME
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_NAME")
#elif GPI_STEP == GPI_FORGET
#undef GP_NAME
#undef GPI_DEFAULT
#undef GPI_MISSING_NAME
#endif

/* GP_TYPE: the type of items. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_TYPE 0x000001
#ifdef GP_TYPE
#if (GPI_TAKES) & GPI_TAKES_TYPE
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_TYPE is not a parameter of this header"
#undef GP_TYPE
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_TYPE
#define GP_TYPE int
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_TYPE")
#ifdef GP_TYPE
#undef GP_TYPE
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_TYPE")
#elif GPI_STEP == GPI_FORGET
#undef GP_TYPE
#endif

/* GP_OP(a, b): the operator, a ready one or the user's own. Its default depends on GP_IDENTITY, which follows. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_OP 0x000002
#ifdef GP_OP
#if (GPI_TAKES) & GPI_TAKES_OP
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_OP is not a parameter of this header"
#undef GP_OP
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_OP")
#ifdef GP_OP
#undef GP_OP
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_OP")
#elif GPI_STEP == GPI_FORGET
#undef GP_OP
#undef GPI_MISSING_OP
#endif

/* GP_IDENTITY: the identity of a GP_OP of the user's own. A ready operator brings its own. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_IDENTITY 0x000004
#ifdef GP_IDENTITY
#if (GPI_TAKES) & GPI_TAKES_IDENTITY
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_IDENTITY is not a parameter of this header"
#undef GP_IDENTITY
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_OP
#ifdef GP_IDENTITY
#define GPI_MISSING_OP
#define GP_OP(a, b) ((void)(a), (b)) /* compiles for structs too */
#else
#define GP_OP GP_SUM
#endif
#elif !GPI_IS_READY(GP_OP) && !defined GP_IDENTITY
#define GPI_MISSING_IDENTITY
#ifdef __cplusplus
#define GP_IDENTITY {}
#else
#define GP_IDENTITY {0}
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_IDENTITY")
#ifdef GP_IDENTITY
#undef GP_IDENTITY
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_IDENTITY")
#elif GPI_STEP == GPI_FORGET
#undef GP_IDENTITY
#undef GPI_MISSING_IDENTITY
#endif

/* GP_INPUT_TYPE: the type that is read from memory. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_INPUT_TYPE 0x000008
#ifdef GP_INPUT_TYPE
#if (GPI_TAKES) & GPI_TAKES_INPUT_TYPE
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_INPUT_TYPE is not a parameter of this header"
#undef GP_INPUT_TYPE
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_INPUT_TYPE
#define GP_INPUT_TYPE GP_TYPE
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_INPUT_TYPE")
#ifdef GP_INPUT_TYPE
#undef GP_INPUT_TYPE
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_INPUT_TYPE")
#elif GPI_STEP == GPI_FORGET
#undef GP_INPUT_TYPE
#endif

/* GP_LOAD(x): a map from GP_INPUT_TYPE to GP_TYPE. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_LOAD 0x000010
#ifdef GP_LOAD
#if (GPI_TAKES) & GPI_TAKES_LOAD
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_LOAD is not a parameter of this header"
#undef GP_LOAD
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_LOAD")
#ifdef GP_LOAD
#undef GP_LOAD
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_LOAD")
#elif GPI_STEP == GPI_FORGET
#undef GP_LOAD
#endif

/* GP_LOAD_AT(in, i): item number i of the input. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_LOAD_AT 0x000020
#ifdef GP_LOAD_AT
#if (GPI_TAKES) & GPI_TAKES_LOAD_AT
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_LOAD_AT is not a parameter of this header"
#undef GP_LOAD_AT
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_LOAD_AT")
#ifdef GP_LOAD_AT
#undef GP_LOAD_AT
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_LOAD_AT")
#elif GPI_STEP == GPI_FORGET
#undef GP_LOAD_AT
#endif

/* GP_STORE_AT(out, i, x): a statement that stores result number i. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_STORE_AT 0x000040
#ifdef GP_STORE_AT
#if (GPI_TAKES) & GPI_TAKES_STORE_AT
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_STORE_AT is not a parameter of this header"
#undef GP_STORE_AT
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_STORE_AT")
#ifdef GP_STORE_AT
#undef GP_STORE_AT
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_STORE_AT")
#elif GPI_STEP == GPI_FORGET
#undef GP_STORE_AT
#endif

/* GP_KEY: the type of keys that are sorted by their digits. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_KEY 0x000080
#ifdef GP_KEY
#if (GPI_TAKES) & GPI_TAKES_KEY
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_KEY is not a parameter of this header"
#undef GP_KEY
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_KEY
#define GP_KEY int
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_KEY")
#ifdef GP_KEY
#undef GP_KEY
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_KEY")
#elif GPI_STEP == GPI_FORGET
#undef GP_KEY
#endif

/* GP_KEY_KIND: the order of keys that are of no arithmetic type. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_KEY_KIND 0x000100
#ifdef GP_KEY_KIND
#if (GPI_TAKES) & GPI_TAKES_KEY_KIND
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_KEY_KIND is not a parameter of this header"
#undef GP_KEY_KIND
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#if defined GP_KEY_KIND && GP_KEY_KIND + 0 != GP_UNSIGNED && GP_KEY_KIND + 0 != GP_SIGNED && \
    GP_KEY_KIND + 0 != GP_FLOAT
#define GPI_WRONG_KEY_KIND
#undef GP_KEY_KIND
#define GP_KEY_KIND GP_UNSIGNED
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_KEY_KIND")
#ifdef GP_KEY_KIND
#undef GP_KEY_KIND
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_KEY_KIND")
#elif GPI_STEP == GPI_FORGET
#undef GP_KEY_KIND
#undef GPI_WRONG_KEY_KIND
#endif

/* GP_VALUE: the type of values that go with keys; without it there are none. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_VALUE 0x000200
#ifdef GP_VALUE
#if (GPI_TAKES) & GPI_TAKES_VALUE
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_VALUE is not a parameter of this header"
#undef GP_VALUE
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_VALUE")
#ifdef GP_VALUE
#undef GP_VALUE
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_VALUE")
#elif GPI_STEP == GPI_FORGET
#undef GP_VALUE
#endif

/* GP_DESCENDING: sorts in descending order, when it is defined. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_DESCENDING 0x000400
#ifdef GP_DESCENDING
#if (GPI_TAKES) & GPI_TAKES_DESCENDING
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_DESCENDING is not a parameter of this header"
#undef GP_DESCENDING
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_DESCENDING")
#ifdef GP_DESCENDING
#undef GP_DESCENDING
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_DESCENDING")
#elif GPI_STEP == GPI_FORGET
#undef GP_DESCENDING
#endif

/* GP_LESS(a, b): an order. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_LESS 0x000800
#ifdef GP_LESS
#if (GPI_TAKES) & GPI_TAKES_LESS
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_LESS is not a parameter of this header"
#undef GP_LESS
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_LESS")
#ifdef GP_LESS
#undef GP_LESS
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_LESS")
#elif GPI_STEP == GPI_FORGET
#undef GP_LESS
#endif

/* GP_EQUAL(a, b): whether adjacent items belong to one run. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_EQUAL 0x001000
#ifdef GP_EQUAL
#if (GPI_TAKES) & GPI_TAKES_EQUAL
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_EQUAL is not a parameter of this header"
#undef GP_EQUAL
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_EQUAL")
#ifdef GP_EQUAL
#undef GP_EQUAL
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_EQUAL")
#elif GPI_STEP == GPI_FORGET
#undef GP_EQUAL
#endif

/* GP_PRED(x): whether an item is kept. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_PRED 0x002000
#ifdef GP_PRED
#if (GPI_TAKES) & GPI_TAKES_PRED
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_PRED is not a parameter of this header"
#undef GP_PRED
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_PRED")
#ifdef GP_PRED
#undef GP_PRED
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_PRED")
#elif GPI_STEP == GPI_FORGET
#undef GP_PRED
#endif

/* GP_BIN(x, bins): the bin of an item. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_BIN 0x004000
#ifdef GP_BIN
#if (GPI_TAKES) & GPI_TAKES_BIN
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_BIN is not a parameter of this header"
#undef GP_BIN
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_BIN")
#ifdef GP_BIN
#undef GP_BIN
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_BIN")
#elif GPI_STEP == GPI_FORGET
#undef GP_BIN
#endif

/* GP_CONTEXT: the type of an argument of the host functions that arrives as the last one of those macros. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_CONTEXT 0x008000
#ifdef GP_CONTEXT
#if (GPI_TAKES) & GPI_TAKES_CONTEXT
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_CONTEXT is not a parameter of this header"
#undef GP_CONTEXT
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifdef GP_CONTEXT
#if !defined GP_LOAD && !defined GP_LOAD_AT && !defined GP_STORE_AT && !defined GP_LESS && \
    !defined GP_EQUAL && !defined GP_PRED && !defined GP_BIN
#define GPI_MISSING_CONTEXT_USER
#endif
#define GPI_CONTEXT           GP_CONTEXT
#define GPI_CONTEXT_PARAMETER GP_CONTEXT context,
#define GPI_CONTEXT_LAST      , GP_CONTEXT context
#define GPI_CONTEXT_VALUE     context
#else
#define GPI_CONTEXT gpi_no_context
#define GPI_CONTEXT_PARAMETER
#define GPI_CONTEXT_LAST
#define GPI_CONTEXT_VALUE gpi_no_context_value()
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_CONTEXT")
#ifdef GP_CONTEXT
#undef GP_CONTEXT
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_CONTEXT")
#elif GPI_STEP == GPI_FORGET
#undef GP_CONTEXT
#undef GPI_MISSING_CONTEXT_USER
#undef GPI_CONTEXT
#undef GPI_CONTEXT_PARAMETER
#undef GPI_CONTEXT_LAST
#undef GPI_CONTEXT_VALUE
#endif

/* GP_INDEX: the type of counts, indices and offsets in device memory. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_INDEX 0x010000
#ifdef GP_INDEX
#if (GPI_TAKES) & GPI_TAKES_INDEX
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_INDEX is not a parameter of this header"
#undef GP_INDEX
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_INDEX
#define GP_INDEX size_t
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_INDEX")
#ifdef GP_INDEX
#undef GP_INDEX
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_INDEX")
#elif GPI_STEP == GPI_FORGET
#undef GP_INDEX
#endif

/* GP_DEVICE_N: sizes are read from device memory, when it is defined. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_DEVICE_N 0x020000
#ifdef GP_DEVICE_N
#if (GPI_TAKES) & GPI_TAKES_DEVICE_N
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_DEVICE_N is not a parameter of this header"
#undef GP_DEVICE_N
#endif
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_DEVICE_N")
#ifdef GP_DEVICE_N
#undef GP_DEVICE_N
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_DEVICE_N")
#elif GPI_STEP == GPI_FORGET
#undef GP_DEVICE_N
#endif

/* GP_BLOCK: threads of a block. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_BLOCK 0x040000
#ifdef GP_BLOCK
#if (GPI_TAKES) & GPI_TAKES_BLOCK
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_BLOCK is not a parameter of this header"
#undef GP_BLOCK
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_BLOCK
#define GP_BLOCK 256
#endif
#if GP_BLOCK < 32 || GP_BLOCK > 1024 || GP_BLOCK % 32
#define GPI_WRONG_BLOCK
#undef GP_BLOCK
#define GP_BLOCK 256
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_BLOCK")
#ifdef GP_BLOCK
#undef GP_BLOCK
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_BLOCK")
#elif GPI_STEP == GPI_FORGET
#undef GP_BLOCK
#undef GPI_WRONG_BLOCK
#endif

/* GP_ITEMS: items of a thread. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_ITEMS 0x080000
#ifdef GP_ITEMS
#if (GPI_TAKES) & GPI_TAKES_ITEMS
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_ITEMS is not a parameter of this header"
#undef GP_ITEMS
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_ITEMS
#define GP_ITEMS 1
#endif
#if GP_ITEMS < 1
#define GPI_WRONG_ITEMS
#undef GP_ITEMS
#define GP_ITEMS 1
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_ITEMS")
#ifdef GP_ITEMS
#undef GP_ITEMS
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_ITEMS")
#elif GPI_STEP == GPI_FORGET
#undef GP_ITEMS
#undef GPI_WRONG_ITEMS
#endif

/* GP_API: what the host functions are declared with. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_API 0x100000
#ifdef GP_API
#if (GPI_TAKES) & GPI_TAKES_API
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_API is not a parameter of this header"
#undef GP_API
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_API
#define GP_API static inline
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_API")
#ifdef GP_API
#undef GP_API
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_API")
#elif GPI_STEP == GPI_FORGET
#undef GP_API
#endif

/* GP_KERNEL: the kernel that tests force: 0, or one of GP_KERNEL_... */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_KERNEL 0x200000
#ifdef GP_KERNEL
#if (GPI_TAKES) & GPI_TAKES_KERNEL
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_KERNEL is not a parameter of this header"
#undef GP_KERNEL
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_KERNEL
#define GP_KERNEL 0
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_KERNEL")
#ifdef GP_KERNEL
#undef GP_KERNEL
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_KERNEL")
#elif GPI_STEP == GPI_FORGET
#undef GP_KERNEL
#endif

/* GP_GRID: the most blocks of a launch, for tests. */
#if GPI_STEP == GPI_CHECK
#define GPI_TAKES_GRID 0x400000
#ifdef GP_GRID
#if (GPI_TAKES) & GPI_TAKES_GRID
#undef GPI_DEFAULT
#else
#line 1 GPI_HEADER
#error "GP_GRID is not a parameter of this header"
#undef GP_GRID
#endif
#endif
#elif GPI_STEP == GPI_FILL_IN
#ifndef GP_GRID
#define GP_GRID 0xFFFFFFFFu
#endif
#elif GPI_STEP == GPI_SET_ASIDE
#pragma push_macro("GP_GRID")
#ifdef GP_GRID
#undef GP_GRID
#endif
#elif GPI_STEP == GPI_BRING_BACK
#pragma pop_macro("GP_GRID")
#elif GPI_STEP == GPI_FORGET
#undef GP_GRID
#endif

#undef GPI_STEP
