/** Resources of this machine. */
export type Machine = { memoryBytes: number; cpus: number; freeDiskBytes: number; sharedMemoryBytes: number }

const mb = 1024 * 1024

/**
 * Returns server settings for fast bulk imports and searches, scaled to the machine. With `durable` off nothing
 * survives a power cut, which is fine for tests.
 */
export function serverSettings(machine: Machine, durable: boolean): Record<string, string> {
  const memoryMb = Math.floor(machine.memoryBytes / mb)
  const helpers = Math.min(4, Math.max(1, Math.floor(machine.cpus / 2)))
  return {
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    max_connections: '100',
    // A dump of the database locks every table. An account has about 50, so this is enough for a thousand accounts.
    max_locks_per_transaction: '512',
    shared_buffers: megabytes(between(16, memoryMb / 4, durable ? 2048 : 128)),
    effective_cache_size: megabytes(between(64, memoryMb * 0.6, 65_536)),
    // Each of twenty queries of users at once may take four of these (`shareWorkMemory`).
    work_mem: megabytes(between(4, memoryMb / 128, 64)),
    // The temporary files of one process, to sort and group: no query fills the disk, which has the log files of all.
    temp_file_limit: megabytes(between(2048, machine.freeDiskBytes / mb / 4, 65_536)),
    maintenance_work_mem: megabytes(between(16, memoryMb / 16, 512)),
    // Few checkpoints during large imports, without filling the disk with log files.
    max_wal_size: megabytes(between(256, machine.freeDiskBytes / mb / 8, 8192)),
    checkpoint_timeout: '15min',
    wal_compression: 'on',
    random_page_cost: '1.1',
    // Compiling costs more than it saves for queries that take milliseconds.
    jit: 'off',
    max_worker_processes: String(Math.max(8, machine.cpus)),
    max_parallel_workers: String(Math.max(2, machine.cpus)),
    max_parallel_workers_per_gather: String(helpers),
    max_parallel_maintenance_workers: String(helpers),
    // A container's /dev/shm is 64 MB by default, too small for a parallel hash join.
    ...(machine.sharedMemoryBytes < 512 * mb && { dynamic_shared_memory_type: 'mmap' }),
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
}

function between(least: number, value: number, most: number): number {
  return Math.floor(Math.min(most, Math.max(least, value)))
}

const megabytes = (count: number): string => `${count}MB`
