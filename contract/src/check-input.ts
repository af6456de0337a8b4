import type { z } from 'zod'
import { messages } from './messages.ts'
import { boundsAt } from './number-bounds.ts'

/** Parses like `safeParse`, with messages for users in place of the validator's own. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  return schema.safeParse(value, { error: (issue) => inWords(issue, schema) })
}

type RawIssue = z.core.$ZodRawIssue
type SizeIssue = Extract<RawIssue, { code: 'too_small' | 'too_big' }>

function inWords(issue: RawIssue, schema: z.ZodType): string {
  switch (issue.code) {
    case 'invalid_type':
      return isMissing(issue) ? messages.required : typeInWords(issue.expected)
    case 'invalid_value':
      return isMissing(issue) ? messages.required : `Enter ${listed(issue.values.map(quoted))}.`
    case 'too_small':
    case 'too_big':
      return sizeInWords(issue, schema)
    case 'not_multiple_of':
      return issue.divisor === 1 ? 'Enter a whole number.' : `Enter a multiple of ${issue.divisor}.`
    case 'invalid_format':
      return formatInWords(issue)
    case 'unrecognized_keys':
      return 'This field is not known.'
    case 'invalid_union':
      return unionInWords(issue)
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return messages.invalid
  }
}

const isMissing = ({ input }: RawIssue): boolean => input === undefined

const quoted = (value: unknown): string => JSON.stringify(value) ?? String(value)
const listed = (names: string[]): string => new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
const counted = (count: number | bigint, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${Number(count) === 1 ? '' : 's'}`

const typeNames: Partial<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  bigint: 'a number',
  nan: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  date: 'a date',
  array: 'a list',
  set: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
}

function typeInWords(expected: string): string {
  if (expected === 'file') return 'Choose a file.'
  const name = typeNames[expected]
  return name === undefined ? messages.invalid : `Enter ${name}.`
}

function sizeInWords(issue: SizeIssue, schema: z.ZodType): string {
  const isLeast = issue.code === 'too_small'
  const bound = isLeast ? issue.minimum : issue.maximum
  const limit = issue.exact ? 'exactly' : isLeast ? 'at least' : 'at most'
  switch (issue.origin) {
    case 'string':
      return isLeast && bound === 1 ? messages.required : `Use ${limit} ${counted(bound, 'character')}.`
    case 'array':
    case 'set':
    case 'map':
      return isLeast && bound === 1 ? messages.required : `Enter ${limit} ${counted(bound, 'value')}.`
    case 'file':
      return `Choose a file of ${limit} ${counted(bound, 'byte')}.`
    case 'date': {
      const day = new Date(Number(bound)).toISOString().slice(0, 10)
      return isLeast ? `Enter a date from ${day} on.` : `Enter a date up to ${day}.`
    }
    case 'number':
    case 'int':
    case 'bigint':
      return numberInWords(issue, bound, schema)
    default:
      return messages.invalid
  }
}

function numberInWords(issue: SizeIssue, bound: number | bigint, schema: z.ZodType): string {
  if (issue.origin === 'int') return 'Enter a whole number.'
  const bounds = boundsAt(schema, issue.path ?? [])
  // If the schema has several forms, the path starts at one of them, so it may lead to another number.
  if (bounds?.isFor(bound)) {
    return `Enter a number from ${bounds.lowest.toLocaleString('en-US')} to ${bounds.highest.toLocaleString('en-US')}.`
  }
  const isLeast = issue.code === 'too_small'
  const limit = issue.inclusive ? `of ${isLeast ? 'at least' : 'at most'}` : isLeast ? 'greater than' : 'less than'
  return `Enter a number ${limit} ${bound.toLocaleString('en-US')}.`
}

const formats: Partial<Record<string, string>> = {
  email: 'an email address, such as ada@example.com',
  url: 'a URL, such as https://example.com',
  uuid: 'a UUID',
  guid: 'a UUID',
  ipv4: 'an IPv4 address, such as 192.0.2.10',
  ipv6: 'an IPv6 address, such as 2001:db8::10',
  cidrv4: 'a range of IPv4 addresses, such as 192.0.2.0/24',
  cidrv6: 'a range of IPv6 addresses, such as 2001:db8::/32',
  datetime: 'a date and time, such as 2026-01-31T09:30:00Z',
  date: 'a date, such as 2026-01-31',
  time: 'a time, such as 09:30:00',
}

function formatInWords(issue: Extract<RawIssue, { code: 'invalid_format' }>): string {
  if ('prefix' in issue) return `Start with ${quoted(issue.prefix)}.`
  if ('suffix' in issue) return `End with ${quoted(issue.suffix)}.`
  if ('includes' in issue) return `Include ${quoted(issue.includes)}.`
  const name = formats[issue.format]
  return name === undefined ? messages.invalid : `Enter ${name}.`
}

function unionInWords({ input, errors, discriminator, options }: Extract<RawIssue, { code: 'invalid_union' }>): string {
  if (discriminator === undefined) return choiceInWords(errors) ?? messages.invalid
  const isKindMissing = typeof input !== 'object' || input === null || !(discriminator in input)
  if (isKindMissing) return messages.required
  return Array.isArray(options) ? `Enter ${listed(options.map(quoted))}.` : messages.invalid
}

/** Describes the choice of several values or simple types in words. Null if a form has parts of its own. */
export function choiceInWords(forms: readonly (readonly z.core.$ZodIssue[])[]): string | null {
  const names = forms.map(([issue, ...others]) => {
    if (!issue || others.length > 0 || issue.path.length > 0) return null
    if (issue.code === 'invalid_value') return listed(issue.values.map(quoted))
    return issue.code === 'invalid_type' ? (typeNames[issue.expected] ?? null) : null
  })
  const known = names.filter((name) => name !== null)
  if (known.length === 0 || known.length < names.length) return null
  if (forms.flat().some(({ message }) => message === messages.required)) return messages.required
  return `Enter ${listed([...new Set(known)])}.`
}
