import { expect, test } from 'vitest'
import { readableFields } from './readable-fields.ts'

const fields = Array.from({ length: 5000 }, (_, at) => ({ name: `Field ${at}` }))

test.each([
  ['all', new Set<string>(), 8],
  ['all but two', new Set(['Field 7', 'Field 4999']), 50],
  ['all but a block', new Set(fields.slice(1000, 2000).map(({ name }) => name)), 2030],
])('%s are determined with few checks', async (_name, hidden, most) => {
  let asked = 0
  const can = (_access: unknown, { query }: { query: { find?: unknown } }): boolean => {
    asked++
    const names = JSON.stringify(query.find).match(/Field \d+/g) ?? []
    return names.every((name) => !hidden.has(name))
  }
  const readable = await readableFields({ can: can as never }, fields)
  expect(readable).toEqual(fields.filter(({ name }) => !hidden.has(name)))
  expect(asked).toBeLessThanOrEqual(most)
})

test('no fields need no checks', async () => {
  const can = (): never => {
    throw new Error('asked')
  }
  expect(await readableFields({ can }, [])).toEqual([])
})
