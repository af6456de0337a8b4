import { expect, test } from 'vitest'
import { checkInput } from '../check-input.ts'
import { choiceProblems, type TimingChoices } from './choice-problems.ts'
import { type CronContext, cronProblems, type KeptCron } from './cron-problems.ts'
import { CronDraft } from './crons.ts'
import { ConsumerCode } from './instructions.ts'

/** 10:00 in Zurich. */
const now = Date.parse('2026-11-23T09:00:00Z')
const context = (more: Partial<CronContext> = {}): CronContext => ({
  consumerCode: 'BI',
  now,
  otherNames: ['Other'],
  kept: null,
  ...more,
})

const instruction = {
  url: '/api/contact-service/v1/dashboards/abc-1',
  offset: '7',
  download: { fileName: 'report_1', delimiter: 'comma' },
}
const report = {
  name: 'Weekly report',
  notificationEmails: 'ada@example.com, bob@example.com',
  cronTZ: 'Europe/Zurich',
  cron: '30 9 * * 1-5',
  cronStart: '2026-11-23',
  cronEnd: '2026-12-31',
  instruction,
}
const draft = (more: object = {}): CronDraft => CronDraft.parse({ ...report, ...more })
const problems = (more: object = {}, of: Partial<CronContext> = {}): string[] =>
  cronProblems(draft(more), context(of)).map(({ field, message }) => `${field}: ${message}`)

test('a complete cron has no problems', () => {
  expect(problems()).toEqual([])
  expect(problems({ cronEnd: undefined })).toEqual([])
  expect(problems({ cronEnd: null, cronRepeat: 10 })).toEqual([])
  expect(problems({ instruction: JSON.stringify(instruction) })).toEqual([])
})

test('an empty cron has a problem at every required field', () => {
  const empty = CronDraft.parse({})
  expect(cronProblems(empty, context())).toEqual([
    { field: 'name', message: 'Value is required!' },
    { field: 'notificationEmails', message: 'Value is required!' },
    { field: 'cron', message: 'Value is required!' },
    { field: 'cronTZ', message: 'Value is required!' },
    { field: 'cronStart', message: 'Value is required!' },
    { field: 'instruction', message: 'instruction has not been provided!' },
  ])
})

test.each([
  [{ name: ' oTHER ' }, 'name: Name already exists!'],
  [{ notificationEmails: ' , ' }, 'notificationEmails: Value is required!'],
  [{ notificationEmails: 'ada@example.com, bob, @x' }, 'notificationEmails: bob is invalid!, @x is invalid!'],
  [
    { notificationEmails: Array.from({ length: 51 }, (_, index) => `a${index}@example.com`).join() },
    'notificationEmails: Use at most 50 addresses.',
  ],
  [{ cron: '* * *' }, 'cron: Value is invalid!'],
  [{ cron: '* * * * *' }, 'cron: Leave at least 5 minutes between two runs.'],
  [{ cron: '0 9 30 2 *' }, 'cron: This never runs.'],
  [{ cronTZ: 'Mars/Olympus' }, 'cronTZ: Value is invalid!'],
  [{ cronStart: '' }, 'cronStart: Value is required!'],
  [{ cronStart: '2026-11-31' }, 'cronStart: Value is invalid!'],
  [{ cronStart: 'tomorrow' }, 'cronStart: Value is invalid!'],
  [{ cronStart: '2026-11-22' }, 'cronStart: Value is invalid!'],
  [{ cronStart: '2200-01-01', cronEnd: null }, 'cronStart: Value is invalid!'],
  [{ cronEnd: '2026-11-24' }, 'cronEnd: Value is invalid!'],
  [{ cronEnd: '2026-02-30' }, 'cronEnd: Value is invalid!'],
  [{ cronEnd: '2076-11-24' }, 'cronEnd: Choose an end at most 50 years after the start.'],
  [{ cronEnd: '9999-12-31T00:00:00Z' }, 'cronEnd: Choose an end at most 50 years after the start.'],
  [{ cron: '30 9 1 1 *' }, 'cronEnd: There is no run between the start and the end.'],
  [{ cronEnd: null, cronRepeat: 0 }, 'cronRepeat: Value is invalid!'],
  [{ cronEnd: null, cronRepeat: 1.5 }, 'cronRepeat: Value is invalid!'],
  [{ cronRepeat: 5 }, 'cronRepeat: Value is not allowed!'],
])('%o: %s', (more, expected) => {
  expect(problems(more)).toEqual([expected])
})

test('the end must be at least two days after the start', () => {
  expect(problems({ cronEnd: '2026-11-25' })).toEqual([])
  expect(problems({ cronEnd: '2076-11-23' })).toEqual([])
})

test('a Daily cron cannot start in the past, down to the minute', () => {
  const past = ['cronStart: Value is past!']
  expect(problems({ cron: '30 9 * * *', cronStart: '2026-11-22' })).toEqual(past)
  expect(problems({ cron: '30 9 * * *' })).toEqual(past)
  expect(problems({ cron: '30 10 * * *' })).toEqual([])
  // It is 18:00 in Tokyo.
  expect(problems({ cron: '30 10 * * *', cronTZ: 'Asia/Tokyo' })).toEqual(past)
})

test('Once is refused for a time earlier today', () => {
  const once = { cron: '30 9 23 11 *', cronEnd: null, cronRepeat: 1 }
  expect(problems({ ...once, cronStart: '2026-11-23T08:30:00.000Z' })).toEqual(['cronStart: Value is past!'])
  expect(problems({ ...once, cron: '30 10 23 11 *', cronStart: '2026-11-23T09:30:00.000Z' })).toEqual([])
})

test('today is determined by the time zone of the cron', () => {
  // It is November 24 in Kiritimati.
  const early = Date.parse('2026-11-23T11:00:00Z')
  const island = { cronTZ: 'Pacific/Kiritimati', cron: '0 9 * * 1-5' }
  expect(problems(island, { now: early })).toEqual(['cronStart: Value is invalid!'])
  expect(problems({ ...island, cronStart: '2026-11-24' }, { now: early })).toEqual([])
})

test.each([
  [{ ...instruction, url: 'https://example.com/' }, 'instruction.url: Value is invalid!'],
  [{ ...instruction, url: `${instruction.url}?x=1` }, 'instruction.url: Value is invalid!'],
  [{ ...instruction, url: '' }, 'instruction.url: Value is required!'],
  [{ ...instruction, offset: '94' }, 'instruction.offset: Value cannot be greater than 93'],
  [{ ...instruction, offset: 'XY' }, 'instruction.offset: Value is invalid!'],
  [{ ...instruction, download: { fileName: 'abcd' } }, 'instruction.download.fileName: Value is invalid!'],
  [{ ...instruction, download: { fileName: 'with space' } }, 'instruction.download.fileName: Value is invalid!'],
  [{ ...instruction, download: {} }, 'instruction.download.fileName: Value is required!'],
  [{ ...instruction, notification: { from: 'x' } }, 'instruction.notification.from: Value is invalid!'],
  ['{', 'instruction: Enter an object.'],
])('the instruction %o: %s', (value, expected) => {
  expect(problems({ instruction: value })).toContain(expected)
})

test('a sender needs a name, a subject and a body', () => {
  expect(problems({ instruction: { ...instruction, notification: { from: 'ada@example.com' } } })).toEqual([
    'instruction.notification.fromName: Value is required!',
    'instruction.notification.subject: Value is required!',
    'instruction.notification.bodyHtml: Value is required!',
  ])
  expect(problems({ instruction: { ...instruction, notification: {} } })).toEqual([])
})

const transfer = {
  transferProtocol: 'sftp',
  ftpHost: 'sftp.example.com',
  ftpFolder: 'in/reports',
  ftpUser: 'ada',
  ftpPass: 'secret',
}

test.each([
  [{}, []],
  [{ ftpPort: '' }, []],
  [{ ftpPort: '2222' }, []],
  [{ ftpPort: 24 }, ['ftpPort: Value is invalid!']],
  [{ ftpPort: 'x' }, ['ftpPort: Value is invalid!']],
  [{ ftpHost: '' }, ['ftpHost: Value is required!']],
  [{ ftpHost: 'a b' }, ['ftpHost: Value is invalid!']],
  [{ ftpFolder: '' }, ['ftpFolder: Value is required!']],
  [{ ftpFolder: '/in' }, ['ftpFolder: Value is invalid!']],
  [{ ftpFolder: 'in/' }, ['ftpFolder: Value is invalid!']],
  [{ ftpFolder: 'in|x' }, ['ftpFolder: Value is invalid!']],
  [{ ftpFolder: 'x' }, []],
  [{ ftpUser: '' }, ['ftpUser: Value is required!']],
  [{ ftpPass: '' }, ['ftpPass: Value is required!']],
  [{ transferProtocol: '', ftpHost: 'a b', ftpPort: 1 }, []],
])('the transfer with %o: %o', (more, expected) => {
  expect(problems({ ...transfer, ...more })).toEqual(expected)
})

const kept = (more: object = {}): KeptCron => ({ ...draft({ ...transfer, ...more }), hasPassword: true })

test('a stored password is kept only for the same host, port and user', () => {
  const empty = { ...transfer, ftpPass: '' }
  expect(problems(empty, { kept: kept() })).toEqual([])
  expect(problems({ ...empty, ftpHost: 'other.example.com' }, { kept: kept() })).toEqual([
    'ftpPass: Value is required!',
  ])
  expect(problems({ ...empty, ftpPort: 2222 }, { kept: kept() })).toEqual(['ftpPass: Value is required!'])
  expect(problems(empty, { kept: { ...kept(), hasPassword: false } })).toEqual(['ftpPass: Value is required!'])
})

test('equivalent timings of a stored cron count as unchanged', () => {
  const of = { kept: kept() }
  expect(problems({ ...transfer, cron: ' 30  9 * * 1-5', cronStart: '2026-11-22T23:00:00.000Z' }, of)).toEqual([])
  expect(problems({ ...transfer, cronEnd: '2026-12-31T09:00:00+01:00' }, of)).toEqual([])
  expect(problems({ ...transfer, instruction: JSON.stringify({ ...instruction, offset: 7, rdl: null }) }, of)).toEqual(
    [],
  )
})

test('a stored cron may start and end in the past', () => {
  const old = { ...transfer, cronStart: '2020-01-01', cronEnd: '2020-02-01' }
  expect(problems(old, { kept: kept(old) })).toEqual([])
})

test.each([
  [{ cron: '31 9 * * 1-5' }, 'cron'],
  [{ cronTZ: 'Europe/Vienna' }, 'cronTZ'],
  [{ cronStart: '2026-11-24' }, 'cronStart'],
  [{ cronEnd: '2027-01-01' }, 'cronEnd'],
  [{ cronRepeat: 5 }, 'cronRepeat'],
  [{ instruction: { ...instruction, offset: '15' } }, 'instruction.offset'],
  [{ instruction: { ...instruction, rdl: 'x' } }, 'instruction.rdl'],
  [{ instruction: { ...instruction, url: `${instruction.url}2` } }, 'instruction.url'],
])('changing a stored cron by %o is not allowed', (more, field) => {
  expect(problems({ ...transfer, ...more }, { kept: kept() })).toEqual([`${field}: Value is not allowed!`])
})

test('names, emails, files and deliveries of a stored cron can change', () => {
  const changed = {
    name: 'New name',
    notificationEmails: 'eve@example.com',
    instruction: { ...instruction, download: { fileName: 'other_name' } },
    transferProtocol: '',
  }
  expect(problems(changed, { kept: kept() })).toEqual([])
})

const exported = {
  name: 'Donors',
  delimiter: 'csv',
  exportFields: ['email'],
  offset: 'LM',
  timezoneOffset: -60,
  notifications: [{ type: 'sftp', host: 'sftp.example.com', user: 'ada', password: 'secret' }],
}

test('an export is checked as an export', () => {
  const of: Partial<CronContext> = { consumerCode: 'EXPORT' }
  expect(problems({ instruction: exported }, of)).toEqual([])
  expect(problems({ instruction: { ...exported, exportFields: [] } }, of)).toEqual([
    'instruction.exportFields: Value is required!',
  ])
  expect(problems({ instruction: undefined }, of)).toEqual(['instruction: Value is required!'])
  expect(problems({ instruction: exported, ...transfer }, of)).toEqual(['transferProtocol: Value is not allowed!'])
})

test('a new cron needs the secrets of its notifications', () => {
  const [sftp] = exported.notifications
  const withoutSecret = { ...exported, notifications: [{ ...sftp, password: null }] }
  const of: Partial<CronContext> = { consumerCode: 'EXPORT' }
  expect(problems({ instruction: withoutSecret }, of)).toEqual([
    'instruction.notifications.0.password: Value is required!',
  ])
  expect(
    problems({ instruction: withoutSecret }, { ...of, kept: kept({ instruction: exported, ftpHost: '' }) }),
  ).toEqual([])
})

test('consumer codes are accepted in any letter case', () => {
  expect(ConsumerCode.parse('export')).toBe('EXPORT')
  expect(checkInput(ConsumerCode, 'other').error?.issues[0]?.message).toBe('Enter "EXPORT" or "BI".')
})

const choices = (more: Partial<TimingChoices> = {}): TimingChoices => ({
  period: 'Daily',
  isCustomOffset: false,
  weekdays: [],
  days: [],
  hour: 9,
  offset: '0',
  endType: 'End Date',
  cronEnd: '2026-12-31',
  cronRepeat: null,
  ...more,
})

test.each([
  [{}, []],
  [{ period: null }, ['period: Value is required!']],
  [{ period: 'Weekly' as const }, ['weekdays: Value is required!']],
  [{ period: 'Monthly' as const }, ['days: Value is required!']],
  [{ hour: null }, ['hour: Value is required!']],
  [{ cronEnd: '' }, ['cronEnd: Value is required!']],
  [{ endType: 'Number of repeats' as const }, ['cronRepeat: Value is required!']],
  [{ period: 'Once' as const, cronEnd: '' }, []],
  [{ offset: '' }, ['offset: Value is required!']],
  [{ offset: '100' }, ['offset: Value cannot be greater than 93']],
  [{ offset: 'a' }, ['offset: Value is invalid!']],
])('the choices with %o: %o', (more, expected) => {
  expect(choiceProblems(choices(more)).map(({ field, message }) => `${field}: ${message}`)).toEqual(expected)
})
