import type { Page } from '@playwright/test'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { expect, type Person } from './portal.ts'
import { expectNoSideScroll } from './screens.ts'

/** The first power admin, created by serve.ts. */
export const powerAdmin: Person = { email: 'admin@example.com', password: 'a password for tests only' }

/** Opens a screen of Identity & Access by its side menu. */
export async function openIamScreen(page: Page, entry: string, title = entry): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Identity & Access' })
    .getByRole('link', { name: entry, exact: true })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
}

/** Checks that the page is accessible in both color schemes, and fits on a phone. */
export async function expectPresentable(page: Page): Promise<void> {
  const size = page.viewportSize()
  await expectAccessibleInBothSchemes(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSideScroll(page)
  await expectAccessible(page)
  if (size) await page.setViewportSize(size)
}
