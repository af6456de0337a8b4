import type { Locator, Page } from '@playwright/test'
import { expectAccessibleInBothSchemes } from '../accessibility.ts'
import { expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf } from '../screens.ts'

let nora: Person
test.beforeAll(async () => {
  nora = await makePerson('Nora', { accounts: [await makeAccount('Passkey Works')] })
})

const panel = (page: Page): Locator => page.getByRole('region', { name: 'Passkeys', exact: true })
const passkeyButton = (page: Page): Locator => page.getByRole('button', { name: 'Use a passkey' })

/** Gives the browser an authenticator that verifies its owner. It answers while `setPresent(true)`. */
async function addAuthenticator(page: Page): Promise<(isPresent: boolean) => Promise<void>> {
  const browser = await page.context().newCDPSession(page)
  await browser.send('WebAuthn.enable')
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return async (enabled) => {
    await browser.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  }
}

/** Adds a passkey in the profile that is open. */
async function addPasskey(page: Page, { password }: Person, name: string): Promise<void> {
  await panel(page).getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = dialogOf(page, 'Add a passkey')
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(panel(page).getByRole('row', { name: new RegExp(name) })).toBeVisible()
}

test('a passkey is added in the profile, signs in alone, is renamed and removed', async ({ page, trouble }) => {
  trouble.expect('400 POST /api/identity/v1/profile/passkey-challenges')
  const setPresent = await addAuthenticator(page)
  await signIn(page, nora, undefined, '/module/user-profile')
  await expect(panel(page)).toContainText('No passkeys')
  await panel(page).getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = dialogOf(page, 'Add a passkey')
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByLabel('Password', { exact: true }).fill('not it')
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Password', { exact: true })).toHaveAccessibleDescription('The password is wrong.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await addPasskey(page, nora, 'Laptop')
  await expectAccessibleInBothSchemes(page)

  // The same device makes no second one.
  await panel(page).getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Name').fill('Again')
  await dialog.getByLabel('Password', { exact: true }).fill(nora.password)
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toHaveText('This device already has a passkey of yours.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await setPresent(false)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(passkeyButton(page)).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await setPresent(true)
  await passkeyButton(page).click()
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeAttached()

  await page.getByRole('button', { name: /, your menu$/ }).click()
  await page.getByRole('link', { name: 'User profile' }).click()
  await expect(panel(page).getByRole('row', { name: /Laptop/ })).not.toContainText('Never')
  await panel(page).getByRole('button', { name: 'Rename Laptop' }).click()
  await dialogOf(page, 'Rename the passkey').getByLabel('Name').fill('Old laptop')
  await page.keyboard.press('Enter')
  await panel(page).getByRole('button', { name: 'Remove Old laptop' }).click()
  const removing = dialogOf(page, 'Remove the passkey')
  await removing.getByLabel('Password', { exact: true }).fill(nora.password)
  await removing.getByRole('button', { name: 'Remove' }).click()
  await expect(panel(page)).toContainText('No passkeys')
})
