import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { callLimits } from './call-limits.ts'
import { repeatedAddresses, withoutRepeated } from './email-address.ts'
import { Email, personalKey } from './email-schemas.ts'
import { NewExport } from './exports.ts'
import { ImportDefaults } from './imports.ts'
import { maxAddressListLength, Notification, ShownNotification, WrittenNotification } from './notifications.ts'
import { placeholderProblem } from './placeholders.ts'
import { CronDraft } from './scheduler/crons.ts'
import { BiInstruction, ExportInstruction, SentInstruction } from './scheduler/instructions.ts'

declare const process: { cpuUsage: (before?: object) => { user: number } }

/** Processor time. Work that grows with the square of such a value takes minutes. */
const mostMs = 10_000
const slow = { timeout: 120_000 }

function timed<T>(work: () => T): T {
  const before = process.cpuUsage()
  const result = work()
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(mostMs)
  return result
}

const messagesOf = (schema: z.ZodType, value: unknown): string[] =>
  timed(() => schema.safeParse(value)).error?.issues.map(({ message }) => message) ?? []
const fieldsOf = (schema: z.ZodType, value: unknown): string[] =>
  timed(() => schema.safeParse(value)).error?.issues.map(({ path }) => path.join('.')) ?? []

/** As many addresses as fit into a request. */
const addresses = Array.from({ length: 150_000 }, (_, at) => `${at.toString(36)}@b.co`)
const megabyte = 'x'.repeat(1_000_000)
const email = { type: 'email', from: 'ada@example.com', to: 'bob@example.com', subject: 'Hi', htmlBody: 'Hi' } as const
const call = { type: 'http', method: 'post', endpoint: 'https://example.com/', body: { a: 1 } } as const
const sftp = { type: 'sftp', host: 'example.com', user: 'ada', password: 'x' } as const
const exported = { name: 'Nightly', delimiter: 'csv', exportFields: ['_id'] } as const

describe('lists of addresses', () => {
  test('that are long are read in time that grows with their length only', slow, () => {
    // Texts that are not addresses are compared as they are.
    const names = Array.from({ length: 150_000 }, (_, at) => at.toString(36))
    expect(timed(() => repeatedAddresses([...names, 'Ada@b.co', 'ada@B.co']))).toEqual([names.length + 1])
    expect(timed(() => withoutRepeated([...names, ...names])).length).toBe(names.length)
  })

  test('are refused by their length before they are read', slow, () => {
    const to = addresses.join(',')
    for (const schema of [Notification, WrittenNotification]) {
      expect(messagesOf(schema, { ...email, to })).toEqual([expect.stringContaining(String(maxAddressListLength))])
    }
    expect(fieldsOf(NewExport, { ...exported, notifications: [{ ...email, to }] })).toEqual(['notifications.0.to'])
    expect(fieldsOf(ExportInstruction, { ...exported, notifications: [{ ...email, to }] })).toEqual([
      'notifications.0.to',
    ])
    expect(fieldsOf(CronDraft, { notificationEmails: to })).toEqual(['notificationEmails'])
    // No single schema refuses it: the consumer does.
    const instruction = JSON.stringify({ ...exported, notifications: [{ ...email, to: to.slice(0, 400_000) }] })
    expect(fieldsOf(SentInstruction, instruction)).toEqual([])
  })

  test('of imports are refused by their number', slow, () => {
    const names = Array.from({ length: 100_000 }, (_, at) => at.toString(36))
    const value = { purlColumns: names, dedupColumns: names, notificationEmails: addresses }
    expect(fieldsOf(ImportDefaults, value)).toEqual(['purlColumns', 'dedupColumns', 'notificationEmails'])
  })
})

test('no text of a notification is read beyond its limit', slow, () => {
  for (const field of ['from', 'fromName', 'subject', 'htmlBody', 'textBody']) {
    expect(fieldsOf(WrittenNotification, { ...email, [field]: `{{${megabyte}` })).toEqual([field])
  }
  for (const field of ['host', 'folder', 'user', 'password', 'privateKey']) {
    expect(fieldsOf(WrittenNotification, { ...sftp, [field]: megabyte })).toContain(field)
  }
  expect(fieldsOf(WrittenNotification, { ...call, endpoint: `https://example.com/${megabyte}` })).toEqual(['endpoint'])
  expect(fieldsOf(WrittenNotification, { ...call, headers: { a: megabyte } })).toContain('headers.a')
  const report = {
    url: '/api/contact-service/v1/dashboards/1',
    download: { fileName: 'report' },
    notification: { from: 'a@b.co', fromName: 'A', subject: 'S', bodyHtml: 'B' },
  }
  expect(fieldsOf(BiInstruction, report)).toEqual([])
  expect(fieldsOf(BiInstruction, { ...report, url: megabyte })).toEqual(['url'])
  expect(fieldsOf(BiInstruction, { ...report, offset: '9'.repeat(1_000_000) })).toEqual(['offset'])
  for (const field of ['from', 'fromName', 'subject', 'bodyHtml', 'bodyText']) {
    const notification = { ...report.notification, [field]: megabyte }
    expect(fieldsOf(BiInstruction, { ...report, notification })).toEqual([`notification.${field}`])
  }
  expect(fieldsOf(NewExport, { ...exported, exportFields: [megabyte] })).toEqual(['exportFields.0'])
  expect(messagesOf(Email, megabyte)).toEqual(['Value is invalid!'])
  expect(messagesOf(personalKey('No address.'), megabyte)).toEqual(['No address.'])
})

test('placeholders are found in time that grows with the text only', slow, () => {
  for (const text of [
    '{{' + ' '.repeat(90_000),
    '{{ '.repeat(30_000),
    '{{' + ' a '.repeat(30_000),
    '{'.repeat(90_000),
  ]) {
    expect(timed(() => placeholderProblem(text, ['name']))).toBeNull()
    expect(messagesOf(WrittenNotification, { ...email, htmlBody: `x${text}` })).toEqual([])
  }
})

describe('limits of HTTP calls, reported at the field', () => {
  const list = (length: number) => Array.from({ length }, () => 1)
  const headers = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, value]))
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

  test.each<[string, object, string, string]>([
    ['headers', { headers: headers(51, 'x') }, 'headers', 'Use at most 50 headers.'],
    [
      'characters in headers',
      { headers: headers(5, 'x'.repeat(4000)) },
      'headers',
      'Use at most 16,000 characters in all headers together.',
    ],
    [
      'characters in the name of a header',
      { headers: { ['x'.repeat(201)]: 'x' } },
      'headers',
      'Use names of at most 200 characters.',
    ],
    ['values', { body: { token: list(1000) } }, 'body', 'Use at most 1,000 values.'],
    [
      'values of a short request that is long for each of them',
      { body: { [`token${'x'.repeat(50_000)}`]: list(1500) } },
      'body',
      'Use names of at most 200 characters.',
    ],
    ['levels', { body: { a: nested(21) } }, 'body', 'Nest values at most 20 levels deep.'],
    [
      'characters in a name',
      { body: { a: [{ ['x'.repeat(201)]: 1 }] } },
      'body',
      'Use names of at most 200 characters.',
    ],
    [
      'characters',
      { body: { a: 'x'.repeat(60_000), b: ['x'.repeat(60_000)] } },
      'body',
      'Use at most 100,000 characters in names and texts together.',
    ],
    ['placeholders in a body', { body: { token: '{{url}}'.repeat(101) } }, 'body', 'Use at most 100 placeholders.'],
    ['placeholders in headers', { headers: { a: '{{url}}'.repeat(101) } }, 'headers', 'Use at most 100 placeholders.'],
    [
      'placeholders in an endpoint',
      { endpoint: `https://example.com/${'{{url}}'.repeat(101)}` },
      'endpoint',
      'Use at most 100 placeholders.',
    ],
  ])('%s', (_what, more, field, message) => {
    for (const schema of [Notification, WrittenNotification]) {
      const { error } = timed(() => schema.safeParse({ ...call, ...more }))
      expect(error?.issues).toMatchObject([{ path: [field], message }])
    }
    const inExport = { ...exported, notifications: [{ ...call, ...more }] }
    for (const schema of [NewExport, ExportInstruction]) {
      expect(fieldsOf(schema, inExport)).toEqual([`notifications.0.${field}`])
    }
    // A call that an earlier release stored is still shown.
    expect(ShownNotification.safeParse({ ...call, ...more }).error).toBeUndefined()
  })

  test('values at the limits are accepted', () => {
    const { values, levels, nameCharacters, headers: mostHeaders } = callLimits
    const body = { token: list(values - 3), ['x'.repeat(nameCharacters)]: 'y', deep: '{{secret}}'.repeat(200) }
    expect(messagesOf(WrittenNotification, { ...call, body, headers: headers(mostHeaders, 'x'.repeat(300)) })).toEqual(
      [],
    )
    expect(messagesOf(WrittenNotification, { ...call, body: { a: nested(levels - 1) } })).toEqual([])
  })
})
