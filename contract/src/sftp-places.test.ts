import { expect, test } from 'vitest'
import { SftpNotification } from './notifications.ts'
import { canonicalReportFolder, reportFolderProblem, SftpFolder, SftpHost } from './sftp-places.ts'

const problemsOf = (folder: string) => SftpFolder.safeParse(folder).error?.issues.map(({ message }) => message) ?? []

test.each([
  ['', ''],
  ['in', 'in'],
  ['in/', 'in'],
  [' in//a/./b ', 'in/a/b'],
  ['/', '/'],
  ['//srv/in/', '/srv/in'],
  ['public/../private/board', 'private/board'],
  ['./public/x/../../private', 'private'],
  ['/public/../../etc', '/etc'],
  ['../incoming', '../incoming'],
  ['a/../../b', '../b'],
])('the folder %j is normalized to %j', (text, folder) => {
  expect(SftpFolder.parse(text)).toBe(folder)
  expect(SftpFolder.parse(folder)).toBe(folder)
})

test('a folder that servers interpret differently is refused with the fix', () => {
  expect(problemsOf('public\\..\\private')).toEqual(['Write folders with /, not with \\.'])
  for (const folder of ['public/.. /private', 'public/.../private', 'public/ ../x'])
    expect([folder, problemsOf(folder)]).toEqual([folder, ['A folder of dots only is .. or nothing.']])
  expect(problemsOf('public/\0x')).toEqual(['Value is invalid!'])
})

test.each(['a /', './ a', 'a/../ b', 'in/b /.'])(
  'the folder %j, with a blank at the end of a name, is refused',
  (folder) => {
    expect(problemsOf(folder)).toEqual(['The folder must not begin or end with a blank.'])
  },
)

test.each(['./ a', 'a/../ b', 'in/b /.'])(
  'the folder %j of a report is refused too, and stays as written',
  (folder) => {
    expect(reportFolderProblem(folder)).toBe('The folder must not begin or end with a blank.')
    expect(canonicalReportFolder(folder)).toBe(folder)
  },
)

test.each([
  ['SFTP.Example.com', 'sftp.example.com'],
  ['127.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['0x7f000001', '127.0.0.1'],
  ['0177.0.0.1', '127.0.0.1'],
  ['0:0:0:0:0:ffff:7f00:1', '127.0.0.1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['2001:DB8:0::1', '2001:db8::1'],
  ['::1', '::1'],
])('the host %s is %s', (text, host) => {
  const sent = { type: 'sftp', host: text, user: 'ada', password: 'x' }
  expect(SftpNotification.parse(sent).host).toBe(host)
  expect(SftpHost.parse(host)).toBe(host)
})
