import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './portal.ts'

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Fails if axe finds a violation of WCAG 2.2 A or AA on the page, or in the parts that a selector finds. */
export async function expectAccessible(page: Page, parts?: string): Promise<void> {
  await settle(page)
  const builder = new AxeBuilder({ page })
  if (parts !== undefined) builder.include(parts)
  const { violations } = await builder
    // Reporting passed rules too would take most of the time.
    .options({ resultTypes: ['violations'] })
    .withTags(rules)
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
