import { act, render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test } from 'vitest'
import { useLinkSecret } from './link-secret.ts'

function Page() {
  return <output>{useLinkSecret('link')}</output>
}

function open(address: string) {
  const router = createMemoryRouter([{ path: '*', element: <Page /> }], { initialEntries: [address] })
  render(<RouterProvider router={router} />)
  const shown = () => screen.getByRole('status').textContent
  const addressNow = () => router.state.location.pathname + router.state.location.search + router.state.location.hash
  return { router, shown, addressNow }
}

test.each(['/reset-password#link=abc', '/reset-password?link=abc'])(
  'the secret of %s is removed from the address, and is available again after going back',
  async (address) => {
    const { router, shown, addressNow } = open(address)
    expect(shown()).toBe('abc')
    expect(addressNow()).toBe('/reset-password')
    await act(() => router.navigate('/forgot-password'))
    await act(() => router.navigate(-1))
    expect(shown()).toBe('abc')
    expect(addressNow()).toBe('/reset-password')
  },
)

test('another link pasted into the same tab replaces the first, and other parameters stay', async () => {
  const { router, shown, addressNow } = open('/reset-password?lang=en#link=abc')
  await act(() => router.navigate('/reset-password?lang=en#link=def'))
  expect(shown()).toBe('def')
  expect(addressNow()).toBe('/reset-password?lang=en')
})

test('without a link there is no secret', () => {
  expect(open('/reset-password#section').shown()).toBe('')
})
