import { isIP } from 'node:net'
import { readByteSize } from './byte-size.ts'

/** A setting is invalid; the message is one line that names the variable and the fix. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Treats empty variables as unset, because compose files and service units pass missing values as ''. */
export function read(env: NodeJS.ProcessEnv, name: string): string | null {
  return env[name]?.trim() || null
}

export function wrong(name: string, mustBe: string, value: string): ConfigError {
  // JSON keeps a value with line breaks on one line.
  return new ConfigError(`${name} must be ${mustBe}, not ${JSON.stringify(value)}.`)
}

const mostCounted = 1_000_000_000

export function readCount(env: NodeJS.ProcessEnv, name: string, byDefault: number): number {
  const value = read(env, name)
  if (value === null) return byDefault
  const count = Number(value)
  if (/^\d+$/.test(value) && count >= 1 && count <= mostCounted) return count
  throw wrong(name, `a whole number from 1 to ${mostCounted}`, value)
}

export function isHost(value: string): boolean {
  if (isIP(value) > 0) return true
  // Only digits and dots: a mistyped address, never a name.
  if (/^[\d.]+$/.test(value)) return false
  return (
    value.length < 254 && /^([a-z\d_]([a-z\d_-]{0,61}[a-z\d])?)(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d])?)*$/i.test(value)
  )
}

/** Reads a size such as 500 MB; null when unset. */
export function readBytes(env: NodeJS.ProcessEnv, name: string): number | null {
  const value = read(env, name)
  if (value === null) return null
  const bytes = readByteSize(value)
  if (bytes === null) throw wrong(name, 'a size such as 500 MB, 20 GB or 1.5 TB', value)
  return bytes
}

export function readUrl(env: NodeJS.ProcessEnv, name: string, protocols = ['http:', 'https:']): string | null {
  const value = read(env, name)
  if (value === null || isUrl(value, protocols)) return value
  const starts = protocols.map((protocol) => `${protocol}//`).join(' or ')
  // A database or mail URL often contains a password, which must not reach a log.
  if (value.includes('@')) throw new ConfigError(`${name} must be a URL that starts with ${starts}.`)
  throw wrong(name, `a URL that starts with ${starts}`, value)
}

export function isUrl(value: string, protocols: string[]): boolean {
  const url = URL.parse(value)
  return url !== null && protocols.includes(url.protocol) && value.slice(url.protocol.length).startsWith('//')
}

/** The first choice is the default. */
export function readChoice<const Choice extends string>(
  env: NodeJS.ProcessEnv,
  name: string,
  choices: [Choice, ...Choice[]],
): Choice {
  const value = read(env, name)
  if (value === null) return choices[0]
  const choice = choices.find((each) => each === value.toLowerCase())
  if (choice === undefined) throw wrong(name, `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`, value)
  return choice
}

/** Reads addresses and CIDR ranges, separated by commas or blanks; none by default. */
export function readIpRanges(env: NodeJS.ProcessEnv, name: string): string[] {
  const entries = listOf(read(env, name))
  const wrongEntry = entries.find((entry) => isIP(entry) === 0 && !isCidr(entry))
  if (wrongEntry === undefined) return entries
  throw wrong(name, 'addresses or CIDR ranges such as 10.1.0.0/16, separated by commas', wrongEntry)
}

export function listOf(value: string | null): string[] {
  return (value ?? '').split(/[\s,]+/).filter((entry) => entry !== '')
}

export function isCidr(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/')
  const version = isIP(address)
  return version > 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}
