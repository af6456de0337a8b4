import { expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// Two addresses are the same if their keys are (`contract/src/email-address.ts`, ADR 0081). PostgreSQL, JavaScript and
// mail servers fold letters differently, so no other code may fold addresses or decide which texts are addresses.

const files = find('{contract,domain,server,web,page-script}/src/**/*.{ts,tsx}').filter(
  (file) => !isTest(file) && file !== 'contract/src/email-address.ts',
)

/** Parts of lines that are allowed, and why. */
const exceptions: Record<string, string> = {
  'position(lower(${search}) IN lower(c.emails))': 'finds crons by a part of the text of their recipients',
  'position(lower(${part}) IN lower(${sql.raw(text)}))': 'finds people by a part of their email or name',
  'userName: sql`lower("userName")`': 'order of a list',
  'foldText(`${name}\\n${notificationEmails}`).includes(wanted)': 'finds crons in the same way, in a list',
  '[name, author, ...tags].some((text) => text.toLowerCase().includes(wanted))': 'finds dashboards by a part of a text',
  "address.replace(/[?#].*/s, '').toLowerCase()": 'the address of a page',
  'notification.method.toUpperCase()': 'the method of a call',
  "const [localPart = ''] = email.split('@')": 'a password must not contain the name in the address of its owner',
  '/^[^\\s@]+@[^\\s@][^\\s@.]*\\.[^\\s@]+$/.test(text)) return': 'a value of a contact: how easily it is guessed',
  "const [local = '', domain = ''] = email.split('@')": 'the people of a demo are all different',
  "kind === 'service' ? foldName(email) : callerKey(email)": 'the name of a service identity',
  'foldName(column) !== foldName(keyColumn)': 'names of columns',
  'name.split(/[\\s<>()"': 'the name of a sender must not look like an address',
}

const fold =
  /\b(?:foldName|foldText|isSameName|findByName)\(|\bto(?:Locale)?(?:Lower|Upper)Case\(|\b(?:lower|upper)\(|\bILIKE\b|~\*|\bcitext\b|\blocaleCompare\(/i
const address = /(?:e-?mails?|address(?:es)?|mailbox(?:es)?|recipients?|senders?|authors?)(?![a-z])/i

/** Returns lines that fold a text in a statement that names an address. A statement is judged by its last lines. */
function foldsIn(code: string): string[] {
  const lines = withoutComments(code).split('\n')
  return lines.filter((line, index) => {
    if (!fold.test(line)) return false
    const before = lines.slice(Math.max(0, index - 4), index)
    const start = before.findLastIndex((one) => /^\s*$|[;{}]\s*$/.test(one)) + 1
    return address.test([...before.slice(start), line].join('\n'))
  })
}

/** Returns lines that split a text at its @, or check by a pattern whether it is an address. */
const parsersIn = (code: string): string[] =>
  withoutComments(code)
    .split('\n')
    .filter((line) => /\.email\((?!\))|\bz\s*\.email\(|html5Email|(?:split|[iI]ndexOf)\('@'\)|@\[\^|@\\S/.test(line))

/** Returns SQL that compares a person's address instead of its key. */
const comparisonsIn = (code: string): string[] =>
  withoutComments(code)
    .split('\n')
    .filter((line) =>
      /\b(?:p|person|persons|author)\.email (?:= [$:(\x27]|= (?:ANY|lower)\b|<>|IN \(|LIKE )/.test(line),
    )

const isException = (line: string): boolean => Object.keys(exceptions).some((part) => line.includes(part))

const found = (faultsIn: (code: string) => string[]): string[] =>
  files.flatMap((file) =>
    faultsIn(read(file))
      .filter((line) => !isException(line))
      .map((line) => `${file}: ${line.trim()}`),
  )

test('only one file folds addresses', () => expect(found(foldsIn)).toEqual([]))

test('only one file validates addresses', () => expect(found(parsersIn)).toEqual([]))

test('persons are found by the key of their address', () => expect(found(comparisonsIn)).toEqual([]))

test('every exception is still needed', () => {
  const code = files.map(read).join('\n')
  expect(Object.keys(exceptions).filter((part) => !code.includes(part))).toEqual([])
})

test('the rules detect what they forbid', () => {
  const folds = [
    'const isOwn = caller.email.toLowerCase() === email.toLowerCase()',
    "    .where(sql<string>`lower(email)`, '=', email.trim().toLowerCase())",
    'const folded = address.trim().toLowerCase()',
    'const Address = z\n  .string()\n  .trim()\n  .toLowerCase()',
    'ORDER BY lower(p.email)',
    'const isTaken = emails.some((email) => isSameName(email, own))',
    'WHERE p.email ILIKE ${text}',
  ]
  expect(folds.filter((code) => foldsIn(code).length === 0)).toEqual([])
  const parsers = [
    "const [, domain] = text.split('@')",
    'z.email(messages.invalid)',
    '/^[^\\s@]+@[^\\s@]+$/.test(value)',
  ]
  expect(parsers.filter((code) => parsersIn(code).length === 0)).toEqual([])
  expect(comparisonsIn('WHERE p.email = ${email}')).toHaveLength(1)
  expect(foldsIn('const folded = name.trim().toLowerCase()')).toEqual([])
})
