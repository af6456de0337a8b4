import type { Consumer, Consumers, JobState } from '#scheduler'

const running: JobState = {
  status: 'running',
  name: '',
  reason: null,
  records: 0,
  recoveryCount: 0,
  fileUrl: null,
  deliveries: [],
}

/** Returns a consumer of exports whose runs only count, with changes for a test. */
export function idleConsumer(changes: Partial<Consumer> = {}): Consumers {
  let lastJob = 0
  const consumer: Consumer = {
    code: 'EXPORT',
    job: 'export',
    label: 'scheduled export',
    listPath: '/contact-service/exports',
    parse: (instruction) => instruction,
    read: (_account, _rights, instruction) => Promise.resolve({ instruction, secrets: null }),
    writtenOut: (_account, instruction) => Promise.resolve(instruction),
    refusal: () => Promise.resolve(null),
    start: () => Promise.resolve(String(++lastJob)),
    states: (_db, _account, ids) => Promise.resolve(new Map(ids.map((id) => [id, running]))),
    deliveries: () => Promise.resolve([]),
    target: () => null,
    resend: () => Promise.reject(new Error('There is nothing to send.')),
    ...changes,
  }
  return new Map([[consumer.code, consumer]])
}
