import ssh2 from 'ssh2'

// The package is CommonJS: Node finds none of its names.
const { generateKeyPairSync, parseKey } = ssh2.utils

type Lock = { passphrase: string; cipher: 'aes256-ctr'; rounds: number }

/** A new key pair as files have it, protected where `lock` is given. */
export function sshKeyPair(type: 'ed25519' | 'rsa' | 'ecdsa', lock?: Lock): { private: string; public: string } {
  for (;;) {
    const pair = generate(type, lock ?? {})
    // Of a hundred ed25519 keys that ssh2 writes, about one cannot be read, not even by itself.
    if (!(parseKey(pair.private, lock?.passphrase) instanceof Error)) return pair
  }
}

function generate(type: 'ed25519' | 'rsa' | 'ecdsa', lock: Lock | object) {
  if (type === 'rsa') return generateKeyPairSync(type, { bits: 2048, ...lock })
  if (type === 'ecdsa') return generateKeyPairSync(type, { bits: 256, ...lock })
  return generateKeyPairSync(type, lock)
}
