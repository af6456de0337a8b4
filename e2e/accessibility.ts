import type { Frame, Page } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'
import { expect } from './portal.ts'

declare global {
  interface Window {
    axe?: typeof axe
  }
}

type Rules = NonNullable<RunOptions['runOnly']>

const standards: Rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Fails if axe finds a violation of WCAG 2.2 A or AA on the page, or in the parts that match a selector. */
export const expectAccessible = (page: Page, parts?: string): Promise<void> => expectNothing(page, standards, parts)

/** The same in light and in dark. The page stays in the other scheme: each change of scheme takes longer than axe. */
export async function expectAccessibleInBothSchemes(page: Page, parts?: string): Promise<void> {
  await expectAccessible(page, parts)
  const isDark = (await page.locator('html').getAttribute('data-mantine-color-scheme')) === 'dark'
  await changeScheme(page, isDark ? 'light' : 'dark')
  await expectContrast(page, parts)
}

/** Sufficient for one scheme once the other is known to be accessible: they differ only in their colors. */
export const expectContrast = (page: Page, parts?: string): Promise<void> =>
  expectNothing(page, { type: 'rule', values: ['color-contrast'] }, parts)

async function expectNothing(page: Page, runOnly: Rules, parts?: string): Promise<void> {
  await settle(page)
  for (const frame of page.frames()) await loadAxe(frame)
  // Reporting passed rules too would take most of the time.
  const options: RunOptions = { runOnly, resultTypes: ['violations'] }
  const found = await page.evaluate(
    async ([context, rules]) => {
      const results = await window.axe?.run(context ?? document, rules)
      return results?.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      )
    },
    [parts ?? null, options] as const,
  )
  expect(found, 'what axe found').toEqual([])
}

async function changeScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  // The page updates a moment later.
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
}

/** Loads axe once per document: loading it takes longer than most checks. */
async function loadAxe(frame: Frame): Promise<void> {
  if (await frame.evaluate(() => window.axe !== undefined)) return
  await frame.evaluate(axe.source)
  // Frames may be from another origin.
  await frame.evaluate(() => window.axe?.configure({ allowedOrigins: ['<unsafe_all_origins>'] }))
}

/**
 * Finishes finite animations, until no other has started in the next frames: during a fade, colors are not final. An
 * expanding part starts its fade only some frames after the click, and one that inherits a color starts after its
 * parent; waiting for all of these fades would take longer than most checks.
 */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const nextFrame = () => new Promise(requestAnimationFrame)
    const ending = () => document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    for (let quietFrames = 0; quietFrames < 6; quietFrames += 1) {
      await nextFrame()
      const running = ending()
      for (const animation of running) animation.finish()
      if (running.length > 0) quietFrames = 0
    }
  })
}
