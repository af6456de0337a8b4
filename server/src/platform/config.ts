import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'

/** The operator's settings, validated, with defaults. */
export type Config = {
  host: string
  port: number
  /** Of the demo's sample site; null if it is off. */
  sampleSitePort: number | null
  /** Without a trailing slash. */
  publicUrl: string
  /** Absolute. */
  dataDir: string
  /** Null means the embedded PostgreSQL in the data folder. */
  databaseUrl: string | null
  adminEmail: string
  /** Null means that one is generated and shown once. */
  adminPassword: string | null
  demo: boolean
  role: 'all' | 'api' | 'worker'
  secretKey: string
  /** Null means that messages are written to the outbox in the data folder. */
  smtpUrl: string | null
  /** Null means the company's name and the host of the public URL. */
  mailFrom: { name: string | null; address: string } | null
  /** Domains, in lower case, of which every account may send from every address. */
  mailSenderDomains: string[]
  /** Emails that an account may send in a day (UTC); each recipient counts. */
  mailDailyLimit: number
  /** Null means the local disk. */
  s3: { endpoint: string; bucket: string; region: string; accessKey: string; secretKey: string } | null
  /** Null means the bundled gazetteer. */
  geocoder: { url: string; key: string } | null
  /** Host names, addresses and CIDR ranges. */
  outboundAllow: string[]
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is believed. */
  trustedProxies: string[]
  /** Limits of calls by strangers: those a minute of an address and of an access, misses a minute, events a day. */
  remoteAccessLimits: { perAddress: number; perAccess: number; misses: number; eventsPerDay: number }
  company: string
  product: string
  helpUrl: string
  moduleUrls: Record<string, string>
}

/** A setting is invalid; the message is one line that names the variable and the fix. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Reads the settings. Creates the secret key in the data folder if none is set and none exists. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const port = readPort(env)
  const publicUrl = readUrl(env, 'PUBLIC_URL')?.replace(/\/+$/, '') ?? `http://localhost:${port}`
  const dataDir = resolve(read(env, 'DATA_DIR') ?? 'data')
  return {
    host: readHost(env),
    port,
    sampleSitePort: readSampleSitePort(env, port),
    publicUrl,
    dataDir,
    databaseUrl: readUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    adminEmail: readEmail(env),
    adminPassword: readPassword(env),
    demo: readChoice(env, 'PORTICO_DEMO', ['on', 'off']) === 'on',
    role: readChoice(env, 'PORTICO_ROLE', ['all', 'api', 'worker']),
    smtpUrl: readUrl(env, 'SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: readMailFrom(env),
    mailSenderDomains: readSenderDomains(env),
    mailDailyLimit: readCount(env, 'MAIL_DAILY_LIMIT', 2000),
    s3: readS3(env),
    geocoder: readGeocoder(env),
    outboundAllow: readOutboundAllow(env),
    trustedProxies: readTrustedProxies(env),
    remoteAccessLimits: {
      perAddress: readCount(env, 'REMOTE_ACCESS_CALLS_PER_ADDRESS', 300),
      perAccess: readCount(env, 'REMOTE_ACCESS_CALLS', 60_000),
      misses: readCount(env, 'REMOTE_ACCESS_MISSES', 20),
      eventsPerDay: readCount(env, 'REMOTE_ACCESS_EVENTS', 100_000),
    },
    company: read(env, 'COMPANY') ?? 'Portico',
    product: read(env, 'PRODUCT') ?? 'Portico',
    helpUrl: readUrl(env, 'HELP_URL') ?? `${publicUrl}/api/docs`,
    moduleUrls: readModuleUrls(env),
    // Last, since it may write a file: nothing is written while another setting is wrong.
    secretKey: readSecretKey(env, dataDir),
  }
}

/** Treats empty variables as unset, because compose files and service units pass missing values as ''. */
function read(env: NodeJS.ProcessEnv, name: string): string | null {
  return env[name]?.trim() || null
}

function wrong(name: string, mustBe: string, value: string): ConfigError {
  // JSON keeps a value with line breaks on one line.
  return new ConfigError(`${name} must be ${mustBe}, not ${JSON.stringify(value)}.`)
}

function readPort(env: NodeJS.ProcessEnv): number {
  const value = read(env, 'PORT') ?? '8080'
  if (!isPort(value)) throw wrong('PORT', 'a whole number from 1 to 65535', value)
  return Number(value)
}

function isPort(value: string): boolean {
  return /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535
}

/** The port above the portal's, if there is one. */
function readSampleSitePort(env: NodeJS.ProcessEnv, port: number): number | null {
  const value = read(env, 'SAMPLE_SITE_PORT')
  if (value === null) return port < 65_535 ? port + 1 : null
  if (value.toLowerCase() === 'off') return null
  if (!isPort(value) || Number(value) === port) {
    throw wrong('SAMPLE_SITE_PORT', 'off or a whole number from 1 to 65535 other than PORT', value)
  }
  return Number(value)
}

const mostCounted = 1_000_000_000

function readCount(env: NodeJS.ProcessEnv, name: string, byDefault: number): number {
  const value = read(env, name)
  if (value === null) return byDefault
  const count = Number(value)
  if (/^\d+$/.test(value) && count >= 1 && count <= mostCounted) return count
  throw wrong(name, `a whole number from 1 to ${mostCounted}`, value)
}

function readHost(env: NodeJS.ProcessEnv): string {
  const value = read(env, 'HOST') ?? '127.0.0.1'
  if (!isHost(value)) throw wrong('HOST', 'an IP address or a host name such as 127.0.0.1 or 0.0.0.0', value)
  return value
}

function isHost(value: string): boolean {
  if (isIP(value) > 0) return true
  // Digits and dots alone are a mistyped address, never a name.
  if (/^[\d.]+$/.test(value)) return false
  return (
    value.length < 254 && /^([a-z\d_]([a-z\d_-]{0,61}[a-z\d])?)(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d])?)*$/i.test(value)
  )
}

function readUrl(env: NodeJS.ProcessEnv, name: string, protocols = ['http:', 'https:']): string | null {
  const value = read(env, name)
  if (value === null || isUrl(value, protocols)) return value
  const starts = protocols.map((protocol) => `${protocol}//`).join(' or ')
  // A database or mail URL often carries a password, which must not reach a log.
  if (/\/\/[^/]*@/.test(value)) throw new ConfigError(`${name} must be a URL that starts with ${starts}.`)
  throw wrong(name, `a URL that starts with ${starts}`, value)
}

function isUrl(value: string, protocols: string[]): boolean {
  const url = URL.parse(value)
  return url !== null && protocols.includes(url.protocol) && value.slice(url.protocol.length).startsWith('//')
}

function readEmail(env: NodeJS.ProcessEnv): string {
  const value = read(env, 'PORTICO_ADMIN_EMAIL') ?? 'admin@portico.local'
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) throw wrong('PORTICO_ADMIN_EMAIL', 'an email address', value)
  return value
}

/** `portal@example.com`, or with a name: `Example Portal <portal@example.com>`. */
function readMailFrom(env: NodeJS.ProcessEnv): Config['mailFrom'] {
  const value = read(env, 'MAIL_FROM')
  if (value === null) return null
  const [, name, named, bare] = /^(?:([^<>"\p{Cc}]*)<([^<>]*)>|([^<>]*))$/u.exec(value) ?? []
  const address = (named ?? bare ?? '').trim()
  if (!/^[^\s@,;:"()\\]+@[^\s@,;:"()\\]+$/.test(address)) {
    throw wrong('MAIL_FROM', 'an email address, optionally with a name: Example Portal <portal@example.com>', value)
  }
  return { name: name?.trim() || null, address }
}

function readSenderDomains(env: NodeJS.ProcessEnv): string[] {
  const entries = listOf(read(env, 'MAIL_SENDER_DOMAINS')).map((entry) => entry.toLowerCase())
  const wrongEntry = entries.find((entry) => !isHost(entry) || isIP(entry) > 0 || !entry.includes('.'))
  if (wrongEntry === undefined) return entries
  throw wrong('MAIL_SENDER_DOMAINS', 'domains such as example.com, separated by commas', wrongEntry)
}

function readPassword(env: NodeJS.ProcessEnv): string | null {
  // Not trimmed: blanks at the ends may be part of a password.
  const value = env['PORTICO_ADMIN_PASSWORD'] || null
  if (value !== null && value.length < 8)
    throw new ConfigError('PORTICO_ADMIN_PASSWORD must be at least 8 characters long.')
  return value
}

/** The first choice is the default. */
function readChoice<const Choice extends string>(
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

function readS3(env: NodeJS.ProcessEnv): Config['s3'] {
  const endpoint = readUrl(env, 'S3_ENDPOINT')
  const bucket = read(env, 'S3_BUCKET')
  const region = read(env, 'S3_REGION')
  const accessKey = read(env, 'S3_ACCESS_KEY')
  const secretKey = read(env, 'S3_SECRET_KEY')
  if (endpoint && bucket && region && accessKey && secretKey) return { endpoint, bucket, region, accessKey, secretKey }
  requireNoneOf(env, ['S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'])
  return null
}

function readGeocoder(env: NodeJS.ProcessEnv): Config['geocoder'] {
  const url = readUrl(env, 'GEOCODER_URL')
  const key = read(env, 'GEOCODER_KEY')
  if (url && key) return { url, key }
  requireNoneOf(env, ['GEOCODER_URL', 'GEOCODER_KEY'])
  return null
}

/** Throws if a group of settings is set only in part. */
function requireNoneOf(env: NodeJS.ProcessEnv, names: string[]): void {
  const missing = names.filter((name) => read(env, name) === null)
  if (missing.length === names.length) return
  const given = names.filter((name) => read(env, name) !== null)
  throw new ConfigError(`${missing.join(', ')} must be set too when ${given.join(', ')} ${are(given)} set.`)
}

const are = (names: string[]): string => (names.length === 1 ? 'is' : 'are')

function readOutboundAllow(env: NodeJS.ProcessEnv): string[] {
  const entries = listOf(read(env, 'OUTBOUND_ALLOW'))
  for (const entry of entries) {
    if (isHost(entry) || isCidr(entry)) continue
    throw wrong(
      'OUTBOUND_ALLOW',
      'host names, addresses or CIDR ranges such as 10.1.0.0/16, separated by commas',
      entry,
    )
  }
  return entries
}

function readTrustedProxies(env: NodeJS.ProcessEnv): string[] {
  const entries = listOf(read(env, 'TRUSTED_PROXIES'))
  const wrongEntry = entries.find((entry) => isIP(entry) === 0 && !isCidr(entry))
  if (wrongEntry === undefined) return entries
  throw wrong('TRUSTED_PROXIES', 'addresses or CIDR ranges such as 10.1.0.0/16, separated by commas', wrongEntry)
}

function listOf(value: string | null): string[] {
  return (value ?? '').split(/[\s,]+/).filter((entry) => entry !== '')
}

function isCidr(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/')
  const version = isIP(address)
  return version > 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}

function readModuleUrls(env: NodeJS.ProcessEnv): Record<string, string> {
  const value = read(env, 'MODULE_URLS')
  if (value === null) return {}
  const mustBe = 'a JSON object of http or https URLs such as {"reports":"https://reports.example.com"}'
  const parsed = parseObject(value)
  if (parsed === null) throw wrong('MODULE_URLS', mustBe, value)
  return Object.fromEntries(
    Object.entries(parsed).map(([module, url]) => {
      if (typeof url === 'string' && isUrl(url, ['http:', 'https:'])) return [module, url]
      throw new ConfigError(`MODULE_URLS must be ${mustBe}; the value of ${JSON.stringify(module)} is not one.`)
    }),
  )
}

function parseObject(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

const secretKeyMinLength = 32

function readSecretKey(env: NodeJS.ProcessEnv, dataDir: string): string {
  const value = read(env, 'SECRET_KEY')
  if (value === null) return keptSecretKey(dataDir)
  if (value.length < secretKeyMinLength)
    throw new ConfigError(`SECRET_KEY must be at least ${secretKeyMinLength} characters long, not ${value.length}.`)
  return value
}

function keptSecretKey(dataDir: string): string {
  const file = join(dataDir, 'secret-key')
  let key: string
  try {
    mkdirSync(dataDir, { recursive: true })
    writeOnce(file, `${randomBytes(32).toString('base64url')}\n`)
    key = readFileSync(file, 'utf8').trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`DATA_DIR must be a writable folder: ${reason}.`)
  }
  if (key.length >= secretKeyMinLength) return key
  throw new ConfigError(
    `SECRET_KEY must be set, because ${file} has no key of at least ${secretKeyMinLength} characters.`,
  )
}

function writeOnce(file: string, text: string): void {
  if (existsSync(file)) return
  // Linked when it is complete: of two processes that start together one creates the key, and both read all of it.
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text, { mode: 0o600 })
  try {
    linkSync(unfinished, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    unlinkSync(unfinished)
  }
}
