import { expect, type Locator, type Page } from '@playwright/test'

const mostPresses = 80

/**
 * Presses Tab, or Shift and Tab, until an element has the focus.
 * @throws if it cannot be reached
 */
export async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await expect(target).toBeAttached()
  for (let presses = 0; presses < mostPresses; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`${String(target)} cannot be reached with ${key}.`)
}

/** Chooses an option of a select with the arrow keys. */
export async function chooseByKeys(page: Page, select: Locator, option: string): Promise<void> {
  await tabTo(page, select)
  await page.keyboard.press('ArrowDown')
  await takeOption(page, select, option)
}

/** Chooses an option of a list by typing. */
export async function chooseByTyping(page: Page, select: Locator, option: string): Promise<void> {
  await tabTo(page, select)
  await page.keyboard.type(option)
  await takeOption(page, select, option)
}

async function takeOption(page: Page, select: Locator, option: string): Promise<void> {
  const wanted = page.getByRole('option', { name: option, exact: true })
  await expect(wanted).toBeVisible()
  for (let presses = 0; presses < mostPresses; presses++) {
    const active = await select.getAttribute('aria-activedescendant')
    if (active !== null && active === (await wanted.getAttribute('id'))) break
    await page.keyboard.press('ArrowDown')
    // A busy browser shows the next option late, and another key press would go too far.
    if (active !== null) await expect(select).not.toHaveAttribute('aria-activedescendant', active)
  }
  await page.keyboard.press('Enter')
}
