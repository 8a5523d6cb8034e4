/*
Memory of large arrays, reused from earlier arrays of exactly the same size that were deleted.

The C library returns the top of its heap, and large blocks, to the system.  The system fills fresh memory
with zeros, page by page, which takes about as long as computing the results that are written into it.

All functions are called by one thread at a time.
*/
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <malloc.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

enum {
    LARGE = 1 << 17, /* Arrays of this many bytes are large. */
    HUGE_PAGE = 1 << 21,
    MOST_BLOCKS = 32
};

/* The blocks that are kept for reuse, the oldest first. */
static struct {
    void *data;
    size_t size;
} kept[MOST_BLOCKS];
static int kept_count = 0;
static size_t kept_bytes = 0;
static size_t most_kept_bytes = (size_t) 1 << 29;

/* Raises the bound to an eighth of the machine's memory if the system may reclaim kept blocks. */
static void choose_most_kept(void)
{
#if defined(MADV_FREE) && defined(_SC_PHYS_PAGES)
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0 && (size_t) pages/8*(size_t) page > most_kept_bytes)
        most_kept_bytes = (size_t) pages/8*(size_t) page;
#endif
}

static void *new_memory(size_t size)
{
#if defined(_WIN32)
    return _aligned_malloc(size, 64);
#else
    void *data;
    const int is_huge = size >= 2*HUGE_PAGE;
    if (posix_memalign(&data, is_huge ? HUGE_PAGE : 64, size))
        return NULL;
#if defined(MADV_HUGEPAGE)
    if (is_huge)
        madvise(data, size/HUGE_PAGE*HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return data;
#endif
}

static void free_memory(void *data)
{
#if defined(_WIN32)
    _aligned_free(data);
#else
    free(data);
#endif
}

static void *remove_kept(int place)
{
    void *const data = kept[place].data;
    kept_bytes -= kept[place].size;
    kept_count--;
    memmove(kept + place, kept + place + 1, (size_t) (kept_count - place)*sizeof(kept[0]));
    return data;
}

/* Returns memory with any content; NULL if there is none. */
static void *take_memory(size_t size)
{
    for (int place = kept_count - 1; place >= 0; place--)
        if (kept[place].size == size)
            return remove_kept(place);
    return new_memory(size);
}

/* Frees the oldest blocks until size more bytes may be kept. */
static void make_room(size_t size)
{
    while (kept_count && (kept_count == MOST_BLOCKS || kept_bytes + size > most_kept_bytes))
        free_memory(remove_kept(0));
}

/* Keeps a block for reuse, or frees it if it exceeds the bound. */
static void keep_memory(void *data, size_t size)
{
    if (size > most_kept_bytes) {
        free_memory(data);
        return;
    }
    make_room(size);
#if defined(MADV_FREE)
    if (size >= 2*HUGE_PAGE) /* the system may reclaim it before it is used again */
        madvise(data, size/HUGE_PAGE*HUGE_PAGE, MADV_FREE);
#endif
    kept[kept_count].data = data;
    kept[kept_count].size = size;
    kept_count++;
    kept_bytes += size;
}
