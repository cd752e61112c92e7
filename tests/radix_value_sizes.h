/*
 * radix_value_sizes.h: includes radix_value_case.h for values of 1 to 32 bytes.
 */
#define SIZE 1
#include "radix_value_case.h"
#define SIZE 2
#include "radix_value_case.h"
#define SIZE 3
#include "radix_value_case.h"
#define SIZE 4
#include "radix_value_case.h"
#define SIZE 5
#include "radix_value_case.h"
#define SIZE 6
#include "radix_value_case.h"
#define SIZE 7
#include "radix_value_case.h"
#define SIZE 8
#include "radix_value_case.h"
#define SIZE 9
#include "radix_value_case.h"
#define SIZE 10
#include "radix_value_case.h"
#define SIZE 11
#include "radix_value_case.h"
#define SIZE 12
#include "radix_value_case.h"
#define SIZE 13
#include "radix_value_case.h"
#define SIZE 14
#include "radix_value_case.h"
#define SIZE 15
#include "radix_value_case.h"
#define SIZE 16
#include "radix_value_case.h"
#define SIZE 17
#include "radix_value_case.h"
#define SIZE 18
#include "radix_value_case.h"
#define SIZE 19
#include "radix_value_case.h"
#define SIZE 20
#include "radix_value_case.h"
#define SIZE 21
#include "radix_value_case.h"
#define SIZE 22
#include "radix_value_case.h"
#define SIZE 23
#include "radix_value_case.h"
#define SIZE 24
#include "radix_value_case.h"
#define SIZE 25
#include "radix_value_case.h"
#define SIZE 26
#include "radix_value_case.h"
#define SIZE 27
#include "radix_value_case.h"
#define SIZE 28
#include "radix_value_case.h"
#define SIZE 29
#include "radix_value_case.h"
#define SIZE 30
#include "radix_value_case.h"
#define SIZE 31
#include "radix_value_case.h"
#define SIZE 32
#include "radix_value_case.h"
