import { filterLimits } from '@portico/contract/filter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Crowd, crowdOf, json } from '#test/kit/crowd.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let crowd: Crowd

beforeAll(async () => {
  portal = await startPortal()
  crowd = await crowdOf(portal)
})
afterAll(() => portal.close())

describe('too many operations are refused', () => {
  test.each<[string, string, unknown[]]>([
    [
      `"b" needs more than ${filterLimits.operations} operations.`,
      'a text that is multiplied again after each cut',
      [
        { $limit: 1 },
        { $project: { a: { $concat: Array<string>(100).fill('$Name') } } },
        { $limit: 1 },
        { $match: { a: { $ne: 'x' } } },
        { $project: { b: { $concat: Array<string>(100).fill('$a') } } },
      ],
    ],
    [
      `"b" needs more than ${filterLimits.operations} operations.`,
      'a text that is multiplied again after it was grouped by',
      [
        { $group: { _id: { a: { $concat: Array<string>(100).fill('$Name') } } } },
        { $addFields: { b: { $concat: Array<string>(100).fill('$a') } } },
      ],
    ],
    [
      `"b" needs more than ${filterLimits.operations} operations.`,
      'the longest of texts, multiplied again',
      [
        { $group: { _id: null, a: { $max: { $concat: Array<string>(100).fill('$Name') } } } },
        { $addFields: { b: { $concat: Array<string>(100).fill('$a') } } },
      ],
    ],
    [
      'A filter takes at most 10,000 operations.',
      'a field of many operations, used in many others',
      [
        { $addFields: { a: { $concat: Array<string>(900).fill('$Name') } } },
        { $project: Object.fromEntries(Array.from({ length: 12 }, (_field, at) => [`b${at}`, '$a'])) },
      ],
    ],
    [
      'A filter takes at most 10,000 operations.',
      'a field of many operations in many conditions',
      [
        { $addFields: { a: { $concat: Array<string>(900).fill('$Name') } } },
        { $match: { $or: Array.from({ length: 12 }, (_branch, at) => ({ a: `x${at}` })) } },
      ],
    ],
    [
      'A filter takes at most 10,000 operations.',
      'a field of many operations, of which many kinds are counted',
      [
        { $addFields: { a: { $concat: Array<string>(900).fill('$Name') } } },
        {
          $group: {
            _id: null,
            ...Object.fromEntries(
              Array.from({ length: 12 }, (_size, at) => [`n${at}`, { $size: { $addToSet: '$a' } }]),
            ),
          },
        },
      ],
    ],
  ])('%s (%s)', async (message, _what, stages) => {
    expect(await crowd.refusal(...stages)).toBe(message)
  })
})

describe('a text of more than 32,768 characters is refused', () => {
  const long = { $literal: 'x'.repeat(2000) }
  const tooLong = { $concat: [long, ...Array<string>(16).fill('$a'), '$Name'] }
  const message = '"$concat" makes a text of more than 32,768 characters for "b".'

  test.each<[string, unknown[]]>([
    ['as a column', [{ $addFields: { a: long } }, { $project: { b: tooLong } }]],
    ['in a condition', [{ $addFields: { a: long } }, { $addFields: { b: tooLong } }, { $match: { b: 'x' } }]],
    ['as an order', [{ $addFields: { a: long } }, { $addFields: { b: tooLong } }, { $sort: { b: 1 } }]],
    ['as a key', [{ $addFields: { a: long } }, { $group: { _id: { b: tooLong } } }]],
    ['after a cut', [{ $addFields: { a: long } }, { $limit: 5 }, { $project: { b: tooLong } }]],
    ['within another', [{ $addFields: { a: long } }, { $project: { b: { $concat: ['<', tooLong, '>'] } } }]],
  ])('%s', async (_what, stages) => {
    expect(await crowd.refusal(...stages)).toBe(message)
  })

  test('in a count', async () => {
    const stages = [{ $addFields: { a: long } }, { $addFields: { b: tooLong } }, { $match: { b: 'x' } }]
    expect((await crowd.ask(`aggregate=${json(stages)}&count=`)).body).toMatchObject({
      error: { code: 'invalid_filter', message },
    })
  })

  test('unless a part has no value, and a text at the limit is accepted', async () => {
    const fitting = { $concat: [...Array<string>(16).fill('$a'), { $literal: 'y'.repeat(768) }] }
    const none = { $match: { Name: null } }
    const rows = await crowd.rowsOf(none, { $addFields: { a: long } }, { $project: { _id: 0, b: tooLong, c: fitting } })
    expect(rows).toEqual([{ b: null, c: 'x'.repeat(32_000) + 'y'.repeat(768) }])
  })
})

test('rows of more than 50 MB are refused, and the next query is answered', async () => {
  const stages = [
    { $addFields: { a: { $literal: 'x'.repeat(2000) } } },
    { $addFields: { b: { $concat: Array<string>(16).fill('$a') } } },
    { $project: Object.fromEntries(Array.from({ length: 300 }, (_field, at) => [`b${at}`, '$b'])) },
  ]
  const answer = await crowd.ask(`aggregate=${json(stages)}`)
  expect(answer.status).toBe(422)
  expect(answer.body).toMatchObject({
    error: { message: 'This took more than 50 MB and was stopped. Ask for fewer rows, or for fewer fields.' },
  })
  expect(await crowd.rowsOf(...stages, { $limit: 1 })).toHaveLength(1)
})
