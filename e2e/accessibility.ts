import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './portal.ts'

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** The rules whose result depends on the color scheme. */
const colorRules = ['color-contrast', 'link-in-text-block']

/** Fails if axe finds a violation of WCAG 2.2 A or AA on the page, or in the parts that a selector finds. */
export async function expectAccessible(page: Page, parts?: string): Promise<void> {
  await expectNoViolations(page, parts, (builder) => builder.withTags(levels))
}

/** Also checks the colors in dark. The page is in light before and after. */
export async function expectAccessibleInBothSchemes(page: Page, parts?: string): Promise<void> {
  await expectAccessible(page, parts)
  await changeScheme(page, 'dark')
  await expectNoViolations(page, parts, (builder) => builder.withRules(colorRules))
  await changeScheme(page, 'light')
}

async function changeScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  // The page updates a moment later.
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
}

async function expectNoViolations(
  page: Page,
  parts: string | undefined,
  choose: (builder: AxeBuilder) => AxeBuilder,
): Promise<void> {
  await settle(page)
  const builder = new AxeBuilder({ page })
  if (parts !== undefined) builder.include(parts)
  // Reporting passed rules too would take most of the time.
  const { violations } = await choose(builder.options({ resultTypes: ['violations'] }))
    // Only frames need a separate page.
    .setLegacyMode(page.frames().length === 1)
    .analyze()
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
  expect(found, 'what axe found').toEqual([])
}

/** Waits until finite animations have ended: during a fade, colors are not final. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}
