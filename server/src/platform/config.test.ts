import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const aKey = 'k'.repeat(32)
const s3 = {
  S3_ENDPOINT: 'https://s3.example.com',
  S3_BUCKET: 'portico',
  S3_REGION: 'eu-west-1',
  S3_ACCESS_KEY: 'access',
  S3_SECRET_KEY: 'secret',
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('defaults', () => {
  test('are sufficient to run a portal', () => {
    expect(readConfig({ SECRET_KEY: aKey })).toEqual({
      host: '127.0.0.1',
      port: 8080,
      sampleSitePort: 8081,
      publicUrl: 'http://localhost:8080',
      dataDir: join(process.cwd(), 'data'),
      databaseUrl: null,
      adminEmail: 'admin@portico.local',
      adminPassword: null,
      demo: true,
      role: 'all',
      secretKey: [aKey],
      smtpUrl: null,
      mailFrom: null,
      mailSenderDomains: [],
      mailDailyLimit: 2000,
      s3: null,
      geocoder: null,
      outboundAllow: [],
      trustedProxies: [],
      metricsAllow: [],
      storageQuota: null,
      uploadMaxBytes: null,
      unpackedMaxBytes: null,
      remoteAccessLimits: { perAddress: 300, perAccess: 60_000, misses: 20, eventsPerDay: 100_000 },
      company: 'Portico',
      product: 'Portico',
      helpUrl: 'http://localhost:8080/api/docs',
      moduleUrls: {},
    })
  })

  test('also apply to empty variables', () => {
    const config = readConfig({ SECRET_KEY: aKey, PORT: '', DATABASE_URL: ' ', S3_BUCKET: '', MODULE_URLS: '' })
    expect(config).toEqual(readConfig({ SECRET_KEY: aKey }))
  })
})

test.each([
  [{ PORT: '9000' }, 9001],
  [{ PORT: '65535' }, null],
  [{ SAMPLE_SITE_PORT: 'off' }, null],
])('the sample site uses the port after that of the portal: %j', (env, port) => {
  expect(readConfig({ SECRET_KEY: aKey, ...env }).sampleSitePort).toBe(port)
})

test('every setting is read', () => {
  const config = readConfig({
    HOST: '0.0.0.0',
    PORT: '9000',
    SAMPLE_SITE_PORT: '9005',
    PUBLIC_URL: 'https://portal.example.com/',
    DATA_DIR: 'somewhere',
    DATABASE_URL: 'postgresql://user:pass@db/portico?sslmode=require',
    PORTICO_ADMIN_EMAIL: 'root@example.com',
    PORTICO_ADMIN_PASSWORD: ' a password ',
    PORTICO_DEMO: 'off',
    PORTICO_ROLE: 'worker',
    SECRET_KEY: aKey,
    SMTP_URL: 'smtps://user:pass@mail.example.com',
    MAIL_FROM: 'Example Portal <portal@example.com>',
    MAIL_SENDER_DOMAINS: 'Example.com, mail.example.com',
    MAIL_DAILY_LIMIT: '500',
    ...s3,
    GEOCODER_URL: 'https://maps.example.com/geocode',
    GEOCODER_KEY: 'key',
    OUTBOUND_ALLOW: 'sftp.internal, 10.1.0.0/16 ::1,fd00::/8',
    TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16,fd00::/8',
    COMPANY: 'Example',
    PRODUCT: 'Hub',
    HELP_URL: 'https://help.example.com',
    MODULE_URLS: '{"reports":"https://reports.example.com/app"}',
  })
  expect(isAbsolute(config.dataDir)).toBe(true)
  expect(config).toMatchObject({
    host: '0.0.0.0',
    port: 9000,
    sampleSitePort: 9005,
    publicUrl: 'https://portal.example.com',
    databaseUrl: 'postgresql://user:pass@db/portico?sslmode=require',
    adminEmail: 'root@example.com',
    adminPassword: ' a password ',
    demo: false,
    role: 'worker',
    smtpUrl: 'smtps://user:pass@mail.example.com',
    mailFrom: { name: 'Example Portal', address: 'portal@example.com' },
    mailSenderDomains: ['example.com', 'mail.example.com'],
    mailDailyLimit: 500,
    s3: { endpoint: 'https://s3.example.com', bucket: 'portico', accessKey: 'access', secretKey: 'secret' },
    geocoder: { url: 'https://maps.example.com/geocode', key: 'key' },
    outboundAllow: ['sftp.internal', '10.1.0.0/16', '::1', 'fd00::/8'],
    trustedProxies: ['10.0.0.1', '10.1.0.0/16', 'fd00::/8'],
    company: 'Example',
    product: 'Hub',
    helpUrl: 'https://help.example.com',
    moduleUrls: { reports: 'https://reports.example.com/app' },
  })
})

describe('an invalid value stops the start with one line:', () => {
  const { S3_BUCKET: _bucket, S3_SECRET_KEY: _secretKey, ...partOfS3 } = s3
  const moduleUrls = 'MODULE_URLS must be a JSON object of http or https URLs'

  test.each<[Record<string, string>, string]>([
    [{ PORT: 'abc' }, 'PORT must be a whole number from 1 to 65535, not "abc".'],
    [{ PORT: '0' }, 'PORT must be a whole number from 1 to 65535, not "0".'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 1 to 65535, not "65536".'],
    [{ PORT: '80.5' }, 'PORT must be a whole number from 1 to 65535, not "80.5".'],
    [{ PORT: '1\n2' }, 'PORT must be a whole number from 1 to 65535, not "1\\n2".'],
    [
      { SAMPLE_SITE_PORT: 'on' },
      'SAMPLE_SITE_PORT must be off or a whole number from 1 to 65535 other than PORT, not "on".',
    ],
    [
      { SAMPLE_SITE_PORT: '8080' },
      'SAMPLE_SITE_PORT must be off or a whole number from 1 to 65535 other than PORT, not "8080".',
    ],
    [{ HOST: 'http://x' }, 'HOST must be an IP address or a host name such as 127.0.0.1 or 0.0.0.0, not "http://x".'],
    [{ HOST: '127.1' }, 'HOST must be an IP address or a host name such as 127.0.0.1 or 0.0.0.0, not "127.1".'],
    [{ PUBLIC_URL: 'portal' }, 'PUBLIC_URL must be a URL that starts with http:// or https://, not "portal".'],
    [{ PUBLIC_URL: 'ftp://a' }, 'PUBLIC_URL must be a URL that starts with http:// or https://, not "ftp://a".'],
    [
      { DATABASE_URL: 'mysql://a' },
      'DATABASE_URL must be a URL that starts with postgres:// or postgresql://, not "mysql://a".',
    ],
    [{ DATABASE_URL: 'mysql://a:pass@b' }, 'DATABASE_URL must be a URL that starts with postgres:// or postgresql://.'],
    [{ PORTICO_ADMIN_EMAIL: 'admin' }, 'PORTICO_ADMIN_EMAIL must be an email address, not "admin".'],
    [{ PORTICO_ADMIN_PASSWORD: 'short' }, 'PORTICO_ADMIN_PASSWORD must be at least 8 characters long.'],
    [{ PORTICO_DEMO: 'yes' }, 'PORTICO_DEMO must be on or off, not "yes".'],
    [{ PORTICO_ROLE: 'web' }, 'PORTICO_ROLE must be all, api or worker, not "web".'],
    [
      { MAIL_SENDER_DOMAINS: 'example.com @acme.example' },
      'MAIL_SENDER_DOMAINS must be domains such as example.com, separated by commas, not "@acme.example".',
    ],
    [{ SECRET_KEY: 'short' }, 'SECRET_KEY must be at least 32 characters long, not 5.'],
    [{ SMTP_URL: 'mail:25' }, 'SMTP_URL must be a URL that starts with smtp:// or smtps://, not "mail:25".'],
    [partOfS3, 'S3_BUCKET, S3_SECRET_KEY must be set too when S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY are set.'],
    [{ ...s3, S3_ENDPOINT: 's3' }, 'S3_ENDPOINT must be a URL that starts with http:// or https://, not "s3".'],
    [{ GEOCODER_KEY: 'key' }, 'GEOCODER_URL must be set too when GEOCODER_KEY is set.'],
    [{ GEOCODER_URL: 'https://maps.example.com' }, 'GEOCODER_KEY must be set too when GEOCODER_URL is set.'],
    [
      { GEOCODER_URL: 'maps', GEOCODER_KEY: 'key' },
      'GEOCODER_URL must be a URL that starts with http:// or https://, not "maps".',
    ],
    [{ HELP_URL: '/help' }, 'HELP_URL must be a URL that starts with http:// or https://, not "/help".'],
  ])('%j', (env, message) => {
    expect(() => readConfig({ SECRET_KEY: aKey, ...env })).toThrow(new ConfigError(message))
  })

  test.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', '10.0.0.0/8/8', 'http://internal', '10.0.0'])(
    'OUTBOUND_ALLOW %s',
    (entry) => {
      expect(() => readConfig({ SECRET_KEY: aKey, OUTBOUND_ALLOW: `ok.internal,${entry}` })).toThrow(
        `OUTBOUND_ALLOW must be host names, addresses or CIDR ranges such as 10.1.0.0/16, separated by commas, not "${entry}".`,
      )
    },
  )

  test.each(['portal', 'a@b, c@d', '<>', 'Portal <a@b> x', 'a@b\nBcc: c@d', '<a@b'])('MAIL_FROM %j', (value) => {
    expect(() => readConfig({ SECRET_KEY: aKey, MAIL_FROM: value })).toThrow('MAIL_FROM must be an email address')
  })

  test.each(['10.0.0.0/33', '127.1', 'proxy.internal', 'loopback', '*'])('TRUSTED_PROXIES %s', (entry) => {
    expect(() => readConfig({ SECRET_KEY: aKey, TRUSTED_PROXIES: `10.0.0.1,${entry}` })).toThrow(
      `TRUSTED_PROXIES must be addresses or CIDR ranges such as 10.1.0.0/16, separated by commas, not "${entry}".`,
    )
  })

  test.each(['reports', '[]', 'null', '"a"', '{"a":1}', '{"a":"ftp://b"}', '{"a":"/b"}'])('MODULE_URLS %s', (value) => {
    expect(() => readConfig({ SECRET_KEY: aKey, MODULE_URLS: value })).toThrow(moduleUrls)
  })
})

describe('the secret key', () => {
  test('is created once, readable only by its owner, and reused', () => {
    const dataDir = join(folder, 'new', 'data')
    const first = readConfig({ DATA_DIR: dataDir }).secretKey[0]
    expect(Buffer.from(first, 'base64url')).toHaveLength(32)
    expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600)
    expect(readConfig({ DATA_DIR: dataDir }).secretKey[0]).toBe(first)
    expect(readFileSync(join(dataDir, 'secret-key'), 'utf8').trim()).toBe(first)
  })

  test('is not created if SECRET_KEY is set', () => {
    const dataDir = join(folder, 'data')
    readConfig({ DATA_DIR: dataDir, SECRET_KEY: aKey })
    expect(existsSync(dataDir)).toBe(false)
  })

  test('is not created while another setting is invalid', () => {
    const dataDir = join(folder, 'data')
    expect(() => readConfig({ DATA_DIR: dataDir, PORTICO_DEMO: 'maybe' })).toThrow(ConfigError)
    expect(existsSync(dataDir)).toBe(false)
  })

  test('cannot be created below a file', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => readConfig({ DATA_DIR: join(folder, 'file', 'data') })).toThrow(
      /^DATA_DIR must be a writable folder: ENOTDIR: .*\.$/,
    )
  })

  test.skipIf(process.getuid?.() === 0)('cannot be created without write permission', () => {
    chmodSync(folder, 0o500)
    expect(() => readConfig({ DATA_DIR: folder })).toThrow(/^DATA_DIR must be a writable folder: EACCES/)
  })

  test('is refused if the stored one is too short', () => {
    writeFileSync(join(folder, 'secret-key'), 'oops\n')
    expect(() => readConfig({ DATA_DIR: folder })).toThrow(
      `SECRET_KEY must be set, because ${folder}/secret-key has no key of at least 32 characters.`,
    )
  })
})
