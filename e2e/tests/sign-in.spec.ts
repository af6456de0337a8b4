import {
  accountPicker,
  addressIn,
  authorizationOf,
  type Account,
  enterCredentials,
  expect,
  makeAccount,
  makePerson,
  openScreen,
  type Person,
  signIn,
  signInByHand,
  test,
} from '../portal.ts'

let harbor: Account
let orchard: Account
let ada: Person
let bo: Person

test.beforeAll(async () => {
  harbor = await makeAccount('Harbor Books')
  orchard = await makeAccount('Orchard Tools')
  ada = await makePerson('Ada', { accounts: [harbor] })
  bo = await makePerson('Bo', { accounts: [orchard, harbor] })
})

test('a wrong password is refused in place, and the right one signs in', async ({ page, trouble }) => {
  trouble.expect('401 POST /api/identity/v1/login')
  await page.goto('/')
  await expect(page).toHaveTitle(/^Sign in/)
  await expect(page.getByLabel('E-mail')).toBeFocused()
  await enterCredentials(page, { ...ada, password: 'not the password' })
  await expect(page.getByRole('alert')).toHaveText('The email or password is wrong.')
  await expect(page.getByLabel('E-mail')).toHaveValue(ada.email)
  await page.getByLabel('Password', { exact: true }).fill(ada.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: /^Good (morning|afternoon|evening), / })).toBeVisible()
  await expect(page.getByRole('banner')).toContainText(harbor.name)
})

test('both values are required, which is reported without a request', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toHaveAccessibleDescription('Value is required!')
  await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription('Value is required!')
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeFocused()
})

test('with several accounts one is chosen, also by keyboard', async ({ page }) => {
  await page.goto('/')
  await enterCredentials(page, bo)
  const accounts = page.getByRole('list', { name: 'Accounts' }).getByRole('button')
  await expect(accounts).toHaveText([harbor.name, orchard.name])
  await accounts.filter({ hasText: orchard.name }).click()
  await expect(page.getByRole('heading', { level: 1, name: /^Good (morning|afternoon|evening), / })).toBeVisible()
  await expect(accountPicker(page)).toHaveValue(orchard.name)

  await page.getByRole('button', { name: 'Logout' }).click()
  await enterCredentials(page, bo)
  await expect(accounts).toHaveText([harbor.name, orchard.name])
  await expect(accounts.first()).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(accountPicker(page)).toHaveValue(harbor.name)
})

test('another person can go back from the choice of accounts to the sign-in', async ({ page }) => {
  await page.goto('/')
  await enterCredentials(page, bo)
  await page.getByRole('button', { name: 'Not you? Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('reloading or opening a new tab stays signed in to the same account', async ({ page, context }) => {
  await signInByHand(page, bo, orchard)
  await openScreen(page, 'Exports')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()
  const another = await context.newPage()
  await another.goto('/')
  await expect(accountPicker(another)).toHaveValue(orchard.name)
})

test('logging out ends the session in every tab and on the server', async ({ page, context }) => {
  await signInByHand(page, ada)
  const another = await context.newPage()
  const exportsCall = /\/api\/contact-service\/v1\/exports/
  const authorization = await authorizationOf(another, exportsCall, () => another.goto('/contact-service/exports'))
  await expect(another.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()

  await page.getByRole('button', { name: 'Ada' }).click()
  await page.getByRole('button', { name: 'Logout' }).last().click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(another.getByText('You signed out in another tab.')).toBeVisible()
  await page.goto('/contact-service/imports')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()

  const reply = await page.request.get('/api/contact-service/v1/exports', { headers: { authorization } })
  expect(reply.status()).toBe(401)
})

test('an ended session leads to the sign-in and then back to the page', async ({ page, trouble }) => {
  await signInByHand(page, ada)
  const exportsCall = /\/api\/contact-service\/v1\/exports/
  const authorization = await authorizationOf(page, exportsCall, () => openScreen(page, 'Exports'))
  const reply = await page.request.post('/api/identity/v1/logout', { headers: { authorization } })
  expect(reply.status()).toBe(204)

  trouble.expect('401 GET /api/contact-service/v1/offers')
  await page.getByRole('navigation', { name: 'List Service' }).getByRole('link', { name: 'Search & Analyze' }).click()
  await expect(page.getByText('Your session has ended. Please sign in again.')).toBeVisible()
  await expect(page).toHaveURL(addressIn(harbor, '/'))
  await enterCredentials(page, ada)
  await expect(page.getByRole('heading', { level: 1, name: 'Search & Analyze' })).toBeVisible()
  await expect(page).toHaveURL(addressIn(harbor, '/contact-service/documents'))
})

test('a session that ends after an update of the portal also leads back to the page', async ({
  page,
  context,
  trouble,
}) => {
  await signIn(page, ada)
  const exportsCall = /\/api\/contact-service\/v1\/exports/
  const authorization = await authorizationOf(page, exportsCall, () => openScreen(page, 'Exports'))
  expect((await page.request.post('/api/identity/v1/logout', { headers: { authorization } })).status()).toBe(204)

  // The code of the sign-in cannot be loaded until that page is reloaded.
  await context.route('**/assets/sign-in-*.js', (route) =>
    new URL(route.request().frame().url()).pathname === '/' ? route.continue() : route.abort(),
  )
  trouble.expect('401 GET /api/contact-service/v1/offers', 'net::ERR_FAILED')
  await page.getByRole('navigation', { name: 'List Service' }).getByRole('link', { name: 'Search & Analyze' }).click()
  await enterCredentials(page, ada)
  await expect(page).toHaveURL(addressIn(harbor, '/contact-service/documents'))
})

test('a deep link leads to its screen after signing in, with page and filter', async ({ page }) => {
  await page.goto('/contact-service/exports?status=completed&size=20')
  await enterCredentials(page, ada)
  await expect(page.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()
  await expect(page).toHaveURL(addressIn(harbor, '/contact-service/exports?status=completed&size=20'))
  await expect(page.getByText('No matching exports found.')).toBeVisible()
})

test('an unreachable portal keeps the page, and retrying continues', async ({ page, context, trouble }) => {
  trouble.expect('net::ERR_INTERNET_DISCONNECTED')
  await signInByHand(page, ada)
  await openScreen(page, 'Exports')
  await openScreen(page, 'Imports')

  await context.setOffline(true)
  const menu = page.getByRole('navigation', { name: 'List Service' })
  await menu.getByRole('link', { name: 'Search & Analyze' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'This part could not be loaded' })).toBeVisible()
  await menu.getByRole('link', { name: 'Exports' }).click()
  await page.getByLabel('Search exports by name').fill('spring')
  await expect(page.getByRole('alert')).toContainText('The portal cannot be reached.')

  await context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No matching exports found.')).toBeVisible()
  await openScreen(page, 'Search & Analyze')
})
