import { expect, test, vi } from 'vitest'
import { ApiError } from '#lib/api/api-error.ts'
import { changeFresh } from './change-fresh.ts'

const newer = new ApiError('newer_version', 'Someone has saved this in the meantime.')

test('an item is read and saved, and again if it was saved in between', async () => {
  let version = 1
  const put = vi
    .fn<(item: { version: number }) => Promise<string>>()
    .mockRejectedValueOnce(newer)
    .mockResolvedValue('saved')
  expect(await changeFresh(() => Promise.resolve({ version: version++ }), put)).toBe('saved')
  expect(put.mock.calls).toEqual([[{ version: 1 }], [{ version: 2 }]])
})

test('gives up after three attempts, and at once on any other error', async () => {
  const read = (): Promise<object> => Promise.resolve({})
  const always = vi.fn<() => Promise<never>>().mockRejectedValue(newer)
  await expect(changeFresh(read, always)).rejects.toBe(newer)
  expect(always).toHaveBeenCalledTimes(3)
  const refused = vi.fn<() => Promise<never>>().mockRejectedValue(new ApiError('not_allowed', 'No.'))
  await expect(changeFresh(read, refused)).rejects.toMatchObject({ code: 'not_allowed' })
  expect(refused).toHaveBeenCalledTimes(1)
})
