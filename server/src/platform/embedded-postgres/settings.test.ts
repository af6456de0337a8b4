import { describe, expect, test } from 'vitest'
import { serverSettings } from './settings.ts'

const mb = 1024 * 1024
const gb = 1024 * mb
const large = { memoryBytes: 64 * gb, cpus: 16, freeDiskBytes: 500 * gb, sharedMemoryBytes: 32 * gb }

describe('settings', () => {
  test('are capped on a large machine', () => {
    expect(serverSettings(large, true)).toMatchObject({
      shared_buffers: '2048MB',
      work_mem: '64MB',
      temp_file_limit: '65536MB',
      maintenance_work_mem: '512MB',
      max_wal_size: '8192MB',
      max_parallel_workers: '16',
      max_parallel_workers_per_gather: '4',
    })
  })

  test('leave memory free on a small machine', () => {
    const small = { memoryBytes: 512 * mb, cpus: 1, freeDiskBytes: 4 * gb, sharedMemoryBytes: gb }
    expect(serverSettings(small, true)).toMatchObject({
      shared_buffers: '128MB',
      work_mem: '4MB',
      temp_file_limit: '2048MB',
      maintenance_work_mem: '32MB',
      max_wal_size: '512MB',
      max_parallel_workers_per_gather: '1',
    })
  })

  test('let a dump lock every table of a thousand accounts', () => {
    const { max_connections: connections, max_locks_per_transaction: locks } = serverSettings(large, true)
    expect(Number(connections) * Number(locks)).toBeGreaterThan(1000 * 50)
  })

  test('avoid shared memory in a container that has little of it', () => {
    expect(serverSettings(large, true)).not.toHaveProperty('dynamic_shared_memory_type')
    const container = { ...large, sharedMemoryBytes: 64 * mb }
    expect(serverSettings(container, true)).toHaveProperty('dynamic_shared_memory_type', 'mmap')
  })

  test('disable durability only for tests', () => {
    expect(serverSettings(large, true)).not.toHaveProperty('fsync')
    expect(serverSettings(large, false)).toMatchObject({ fsync: 'off', shared_buffers: '128MB' })
  })
})
