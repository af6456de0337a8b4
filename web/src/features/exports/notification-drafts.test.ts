import { expect, test } from 'vitest'
import { checkDraft, type NotificationDraft, newRow, withBlankRows } from './notification-drafts.ts'

const draft = (type: NotificationDraft['type'], part: object): NotificationDraft =>
  ({ ...newRow(type).draft, ...part }) as NotificationDraft
const problemsOf = (type: NotificationDraft['type'], part: object) => checkDraft(draft(type, part)).problems

test('an email requires its other parts once it has a sender', () => {
  const required = 'Value is required!'
  expect(problemsOf('email', { from: 'a@example.com' })).toEqual({
    to: required,
    subject: required,
    htmlBody: required,
  })
  expect(problemsOf('email', { from: 'a', to: 'x, b@example.com, y', subject: 's', htmlBody: 'b' })).toEqual({
    from: 'Invalid email address!',
    to: "'x' is invalid!, 'y' is invalid!",
  })
})

test('an email comes from a verified sender, an allowed domain or the portal', () => {
  const sender = { _id: '1', requestedBy: 'me@example.com', requestedAt: '2026-11-01T00:00:00Z', verifiedAt: null }
  const senders = {
    senders: [
      { ...sender, address: 'news@example.com', state: 'verified' as const },
      { ...sender, address: 'later@example.com', state: 'waiting' as const },
    ],
    domains: ['acme.example'],
    ownAddress: 'portal@example.com',
  }
  const problem = (from: string) =>
    checkDraft(draft('email', { from, to: 'a@example.com', subject: 's', htmlBody: 'b' }), senders).problems['from']
  const allowed = ['News@example.com', 'anyone@acme.example', 'portal@example.com']
  expect(allowed.map(problem)).toEqual([undefined, undefined, undefined])
  for (const from of ['later@example.com', 'a@sub.acme.example', 'acme.example@example.com']) {
    expect(problem(from)).toBe(`${from} is not a verified sender. A power user can verify it in Preferences.`)
  }
})

test.each([
  [
    { method: 'post', endpoint: '' },
    { endpoint: 'Value is required!', body: 'Value is required!' },
  ],
  [{ method: 'get', body: '{"a":1}' }, { body: 'Value is not required!' }],
  [{ method: 'get', headers: '"a"' }, { headers: 'Value is invalid!' }],
  [{ method: 'get', headers: '{a}' }, { headers: 'Value is invalid!' }],
  [{ method: 'put', body: '{}' }, { body: 'Value is required!' }],
  [{ method: 'put', body: '[1]' }, { body: 'Value is invalid!' }],
  [{ method: 'post', body: '{"a":1}', signedUrlExpiryBySecond: '' }, { signedUrlExpiryBySecond: 'Value is required!' }],
  [{ method: '', endpoint: 'https://a.example' }, { method: 'Value is required!' }],
  [{ method: 'get', headers: '{"X-A":"b"}' }, {}],
  [{ method: 'post', body: '{"a":1}' }, {}],
])('a call of %j is validated', (part, problems) => {
  expect(problemsOf('http', { endpoint: 'https://a.example', ...part })).toEqual(problems)
})

test('a file server requires a user and a password', () => {
  const required = 'Value is required!'
  expect(problemsOf('sftp', { host: 'a.example' })).toEqual({ user: required, password: required })
  const given = { host: 'a.example', user: 'u', password: 'p' }
  expect(problemsOf('sftp', { ...given, port: '0' })).toEqual({ port: 'Value is invalid!' })
  expect(checkDraft(draft('sftp', { ...given, port: '2222' })).notification).toMatchObject({ port: 2222, folder: '' })
})

test('a blank row follows the last started one, up to the maximum', () => {
  const begun = { key: 'a', draft: draft('email', { from: 'a@example.com' }) }
  const typesOf = (max: number) => withBlankRows([begun], max).map((row) => `${row.draft.type} ${row === begun}`)
  expect(withBlankRows([], 1).map((row) => row.draft.type)).toEqual(['email', 'http', 'sftp'])
  expect(typesOf(1)).toEqual(['email true'])
  expect(typesOf(2)).toEqual(['email true', 'email false', 'http false', 'sftp false'])
})
