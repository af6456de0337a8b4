import ssh2 from 'ssh2'

// A CommonJS package, without named exports in Node.js.
const { generateKeyPairSync, parseKey } = ssh2.utils

type Lock = { passphrase: string; cipher: 'aes256-ctr'; rounds: number }

/** Generates a key pair in file format, protected if `lock` is given. */
export function sshKeyPair(type: 'ed25519' | 'rsa' | 'ecdsa', lock?: Lock): { private: string; public: string } {
  for (;;) {
    const pair = generate(type, lock ?? {})
    // About one in a hundred ed25519 keys written by ssh2 cannot be read, even by ssh2.
    if (!(parseKey(pair.private, lock?.passphrase) instanceof Error)) return pair
  }
}

function generate(type: 'ed25519' | 'rsa' | 'ecdsa', lock: Lock | object) {
  if (type === 'rsa') return generateKeyPairSync(type, { bits: 2048, ...lock })
  if (type === 'ecdsa') return generateKeyPairSync(type, { bits: 256, ...lock })
  return generateKeyPairSync(type, lock)
}
