import { expect } from 'vitest'
import type { TestPortal } from './portal.ts'

/** Signs in with a generated password, and returns the one chosen instead. */
export async function chooseOwnPassword(
  { anonymous }: Pick<TestPortal, 'anonymous'>,
  madeUp: { email: string; password: string },
): Promise<string> {
  const refused = await anonymous.post('/identity/v1/login', madeUp)
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'password_temporary' } } })
  const { link } = refused.json<{ error: { details: { link: string } } }>().error.details
  const password = 'chosen by its owner'
  expect(await anonymous.post('/identity/v1/reset-password', { link, password })).toMatchObject({ status: 200 })
  return password
}
