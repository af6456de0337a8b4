import type { Consumer, Consumers } from '#scheduler'

/** A consumer of exports whose runs do nothing but count, with changes for a test. */
export function idleConsumer(changes: Partial<Consumer> = {}): Consumers {
  let lastJob = 0
  const consumer: Consumer = {
    code: 'EXPORT',
    job: 'export',
    read: (_account, _rights, instruction) => Promise.resolve({ instruction, secrets: null }),
    refusal: () => Promise.resolve(null),
    start: () => Promise.resolve(String(++lastJob)),
    states: () => Promise.resolve(new Map()),
    deliveries: () => Promise.resolve([]),
    resend: () => Promise.reject(new Error('There is nothing to send.')),
    ...changes,
  }
  return new Map([[consumer.code, consumer]])
}
