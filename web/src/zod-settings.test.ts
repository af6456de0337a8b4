import { expect, test } from 'vitest'

test('the schema library never asks for `eval`, which the content security policy forbids', async () => {
  await import('./zod-settings.ts')
  const { z } = await import('zod')
  expect(z.config().jitless).toBe(true)
})
