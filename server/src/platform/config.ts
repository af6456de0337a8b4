import { resolve } from 'node:path'
import { domainKey, readEmailAddress, readPersonalAddress } from '@portico/contract/email-address'
import { trimmedEnd } from '@portico/domain/trimming'
import {
  ConfigError,
  isCidr,
  isHost,
  isUrl,
  listOf,
  read,
  readBytes,
  readChoice,
  readCount,
  readIpRanges,
  readUrl,
  wrong,
} from './settings/config-values.ts'
import type { KeyRing } from './keys/key-ring.ts'
import { readKeyRing } from './keys/secret-key.ts'

export { ConfigError } from './settings/config-values.ts'

/** The operator's settings, validated, with defaults. */
export type Config = {
  host: string
  port: number
  /** Port of the demo's sample site; null if it is off. */
  sampleSitePort: number | null
  /** Without a trailing slash. */
  publicUrl: string
  /** Absolute path. */
  dataDir: string
  /** Null: the embedded PostgreSQL in the data folder. */
  databaseUrl: string | null
  adminEmail: string
  /** Null: one is generated and shown once. */
  adminPassword: string | null
  demo: boolean
  role: 'all' | 'api' | 'worker'
  /** The installation's secret, then those that it replaced. */
  secretKey: KeyRing
  /** Null: emails are written to the outbox in the data folder. */
  smtpUrl: string | null
  /** Null: the company's name and the host of the public URL. */
  mailFrom: { name: string | null; address: string } | null
  /** Domains, in lower case, that every account may send from, with any address. */
  mailSenderDomains: string[]
  /** Emails that an account may send in a day (UTC), counted by recipient. */
  mailDailyLimit: number
  /** Null: the local disk. */
  s3: { endpoint: string; bucket: string; region: string; accessKey: string; secretKey: string } | null
  /** Null: the bundled gazetteer. */
  geocoder: { url: string; key: string } | null
  /** Host names, addresses and CIDR ranges. */
  outboundAllow: string[]
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string[]
  /** Addresses and CIDR ranges, in addition to this machine, that may read `/metrics`. */
  metricsAllow: string[]
  /** Maximum bytes of all files of an account; null for no limit. */
  storageQuota: number | null
  /** Maximum bytes of an uploaded file, and of an archive once unpacked; null for no limit. */
  uploadMaxBytes: number | null
  unpackedMaxBytes: number | null
  /** Limits of public calls: per minute for an address and for an access, misses per minute, events per day. */
  remoteAccessLimits: { perAddress: number; perAccess: number; misses: number; eventsPerDay: number }
  company: string
  product: string
  helpUrl: string
  moduleUrls: Record<string, string>
}

/** Reads the settings. Creates the secret key in the data folder if none is set and none exists. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const settings = readSettings(env)
  // Last, since it may create a file, which must not happen if another setting is invalid.
  return { ...settings, secretKey: readKeyRing(env, settings.dataDir) }
}

/** Reads the settings. Writes nothing. */
export function readSettings(env: NodeJS.ProcessEnv): Omit<Config, 'secretKey'> {
  const port = readPort(env)
  const publicUrl = trimmedEnd(readUrl(env, 'PUBLIC_URL') ?? `http://localhost:${port}`, '/')
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
    trustedProxies: readIpRanges(env, 'TRUSTED_PROXIES'),
    metricsAllow: readIpRanges(env, 'METRICS_ALLOW'),
    storageQuota: readBytes(env, 'STORAGE_QUOTA'),
    uploadMaxBytes: readBytes(env, 'UPLOAD_MAX_SIZE'),
    unpackedMaxBytes: readBytes(env, 'UNPACKED_MAX_SIZE'),
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
  }
}

function readPort(env: NodeJS.ProcessEnv): number {
  const value = read(env, 'PORT') ?? '8080'
  if (!isPort(value)) throw wrong('PORT', 'a whole number from 1 to 65535', value)
  return Number(value)
}

function isPort(value: string): boolean {
  return /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535
}

/** Returns the port above the portal's; null if there is none. */
function readSampleSitePort(env: NodeJS.ProcessEnv, port: number): number | null {
  const value = read(env, 'SAMPLE_SITE_PORT')
  if (value === null) return port < 65_535 ? port + 1 : null
  if (value.toLowerCase() === 'off') return null
  if (!isPort(value) || Number(value) === port) {
    throw wrong('SAMPLE_SITE_PORT', 'off or a whole number from 1 to 65535 other than PORT', value)
  }
  return Number(value)
}

function readHost(env: NodeJS.ProcessEnv): string {
  const value = read(env, 'HOST') ?? '127.0.0.1'
  if (!isHost(value)) throw wrong('HOST', 'an IP address or a host name such as 127.0.0.1 or 0.0.0.0', value)
  return value
}

function readEmail(env: NodeJS.ProcessEnv): string {
  const value = read(env, 'PORTICO_ADMIN_EMAIL') ?? 'admin@portico.local'
  const email = readPersonalAddress(value)
  if ('key' in email) return email.address
  throw wrong('PORTICO_ADMIN_EMAIL', 'an email address', value)
}

/** Reads `portal@example.com`, or with a name: `Example Portal <portal@example.com>`. */
function readMailFrom(env: NodeJS.ProcessEnv): Config['mailFrom'] {
  const value = read(env, 'MAIL_FROM')
  if (value === null) return null
  const [, name, named, bare] = /^(?:([^<>"\p{Cc}]*)<([^<>]*)>|([^<>]*))$/u.exec(value) ?? []
  const email = readEmailAddress(named ?? bare ?? '')
  if ('key' in email) return { name: name?.trim() || null, address: email.address }
  throw wrong('MAIL_FROM', 'an email address, optionally with a name: Example Portal <portal@example.com>', value)
}

function readSenderDomains(env: NodeJS.ProcessEnv): string[] {
  return listOf(read(env, 'MAIL_SENDER_DOMAINS')).map((entry) => {
    const key = domainKey(entry)
    if (key?.includes('.')) return key
    throw wrong('MAIL_SENDER_DOMAINS', 'domains such as example.com, separated by commas', entry)
  })
}

function readPassword(env: NodeJS.ProcessEnv): string | null {
  // Not trimmed: blanks at the ends may be part of a password.
  const value = env['PORTICO_ADMIN_PASSWORD'] || null
  if (value !== null && value.length < 8)
    throw new ConfigError('PORTICO_ADMIN_PASSWORD must be at least 8 characters long.')
  return value
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

/** Throws if a group of settings is only partly set. */
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
