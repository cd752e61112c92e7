/*
 * core/backend/threads.h: runs a function on several threads, for the CPU references under host/.
 */
#ifndef GPI_CPU_THREADS_H
#define GPI_CPU_THREADS_H

#include <pthread.h>
#include <unistd.h>

#define GPI_CPU_THREADS_LIMIT 256

/* The number of threads: 0 and less stand for all processors. */
static inline int gpi_cpu_thread_count(int threads)
{
    long processors = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);

    if (processors < 1)
        processors = 1;
    return processors < GPI_CPU_THREADS_LIMIT ? (int)processors : GPI_CPU_THREADS_LIMIT;
}

/* Calls run(&tasks[t]) for all of at most GPI_CPU_THREADS_LIMIT tasks, the last in the calling thread. */
static inline void gpi_cpu_run_tasks(void *(*run)(void *), void *tasks, size_t task_bytes, int count)
{
    pthread_t threads[GPI_CPU_THREADS_LIMIT];
    int started = 0;

    while (started < count - 1 &&
           pthread_create(&threads[started], NULL, run, (char *)tasks + (size_t)started * task_bytes) == 0)
        started++;
    for (int t = started; t < count; t++) /* tasks whose threads could not be started */
        run((char *)tasks + (size_t)t * task_bytes);
    for (int t = 0; t < started; t++)
        pthread_join(threads[t], NULL);
}

#endif
