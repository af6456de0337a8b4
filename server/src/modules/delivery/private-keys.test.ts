import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { privateKeyProblem } from '@portico/contract/private-keys'

const text = (bytes: Uint8Array | string): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, Buffer.from(bytes)])
}
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** The beginning of a key in OpenSSH format. */
function openSsh({ rounds, rsaBits }: { rounds?: number; rsaBits?: number }): string {
  const options = rounds === undefined ? '' : Buffer.concat([text('0123456789abcdef'), number(rounds)])
  const publicKey =
    rsaBits === undefined
      ? Buffer.concat([text('ssh-ed25519'), text(Buffer.alloc(32))])
      : Buffer.concat([
          text('ssh-rsa'),
          text(Buffer.from([1, 0, 1])),
          text(Buffer.concat([Buffer.from([0]), Buffer.alloc(rsaBits / 8, 0xff)])),
        ])
  const parts = [text('aes256-ctr'), text('bcrypt'), text(options), number(1), text(publicKey), text(Buffer.alloc(64))]
  const body = Buffer.concat([Buffer.from('openssh-key-v1\0'), ...parts]).toString('base64')
  const lines = body.replaceAll(/.{70}/g, '$&\n')
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`
}

/** The beginning of an RSA key in PEM. */
function pem(bits: number): string {
  const modulus = Buffer.concat([Buffer.from([0]), Buffer.alloc(bits / 8, 0xff)])
  const head = Buffer.from([0x30, 0x82, 0x20, 0, 2, 1, 0, 2, 0x82, modulus.length >> 8, modulus.length & 255])
  return `-----BEGIN RSA PRIVATE KEY-----\n${Buffer.concat([head, modulus]).toString('base64')}\n-----END RSA PRIVATE KEY-----`
}

test.each([
  ['too many rounds', openSsh({ rounds: 1025 }), 'hashed too often'],
  ['a billion rounds', openSsh({ rounds: 0xff_ff_ff_ff, rsaBits: 2048 }), 'hashed too often'],
  ['too many rounds, as people paste it', openSsh({ rounds: 5000 }).replaceAll('\n', '\r\n  '), 'hashed too often'],
  ['an RSA key too long', openSsh({ rounds: 16, rsaBits: 16_392 }), 'at most 16,384 bits'],
  ['an RSA key too long in PEM', pem(16_392), 'at most 16,384 bits'],
])('a key is refused by its header: %s', (_what, key, problem) => {
  expect(privateKeyProblem(key)).toContain(problem)
})

test.each([
  ['without a passphrase', openSsh({})],
  ['with as many rounds as there may be', openSsh({ rounds: 1024 })],
  ['RSA as long as it may be', openSsh({ rounds: 16, rsaBits: 16_384 })],
  ['RSA in PEM as long as it may be', pem(16_384)],
  [
    'of OpenSSL',
    String(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' })),
  ],
  [
    'encrypted in PEM',
    '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----',
  ],
  ['cut off', openSsh({ rounds: 16 }).slice(0, 90)],
  ['of PuTTY', 'PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\n'],
  ['of no sense', '-----BEGIN OPENSSH PRIVATE KEY-----\n====\n-----END OPENSSH PRIVATE KEY-----'],
])('any other key is accepted until it is used: %s', (_what, key) => {
  expect(privateKeyProblem(key)).toBeNull()
})
