import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { sshKeyPair } from '#test/stand-ins/ssh-keys.ts'

// Private keys that are as costly to use as their headers claim.

const lines = (bytes: Buffer): string => bytes.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd()

/** Returns an OpenSSH key whose passphrase is hashed this many times. */
export function keyWithRounds(rounds: number): string {
  const key = sshKeyPair('ed25519', { passphrase: 'x', cipher: 'aes256-ctr', rounds: 1 }).private
  const bytes = Buffer.from(key.replaceAll(/-----.*-----|\s/g, ''), 'base64')
  const options = 'openssh-key-v1\0'.length + stringLength('aes256-ctr') + stringLength('bcrypt') + 4
  bytes.writeUInt32BE(rounds, options + 4 + bytes.readUInt32BE(options))
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines(bytes)}\n-----END OPENSSH PRIVATE KEY-----\n`
}

const stringLength = (text: string): number => 4 + text.length

/** Returns an RSA key of this many bits with exponents as long: its signing time grows with their cube. */
export function rsaKey(bits: number): string {
  return rsaPem('', rsaNumbers(bits))
}

/** The same, encrypted: its size is only known once it is opened. */
export function lockedRsaKey(bits: number, passphrase: string): string {
  const salt = randomBytes(16)
  const secret = createHash('md5').update(passphrase).update(salt.subarray(0, 8)).digest()
  const cipher = createCipheriv('aes-128-cbc', secret, salt)
  const sealed = Buffer.concat([cipher.update(rsaNumbers(bits)), cipher.final()])
  const headers = `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${salt.toString('hex').toUpperCase()}\n\n`
  return rsaPem(headers, sealed)
}

const rsaPem = (headers: string, bytes: Buffer): string =>
  `-----BEGIN RSA PRIVATE KEY-----\n${headers}${lines(bytes)}\n-----END RSA PRIVATE KEY-----\n`

function rsaNumbers(bits: number): Buffer {
  const odd = randomBytes(bits / 8 - 1)
  odd[0] = 0xff
  odd[odd.length - 1] = 0xff
  const q = BigInt(`0x${odd.toString('hex')}`)
  const numbers = [0n, 3n * q, 65_537n, 5n, 3n, q, 1n, q - 2n, 1n].map(derInteger)
  return der(0x30, Buffer.concat(numbers))
}

function derInteger(value: bigint): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return der(2, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), content])
}
