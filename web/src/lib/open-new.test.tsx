import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { openNew, useNewForm } from './open-new.ts'

function Form() {
  const [isOpen] = useNewForm()
  return <p>{isOpen ? 'open' : 'closed'}</p>
}

/** A screen that is mounted again, as when entering another account. */
function Screen() {
  const [times, setTimes] = useState(0)
  return (
    <>
      <Form key={times} />
      <button type="button" onClick={() => setTimes(times + 1)}>
        Another account
      </button>
    </>
  )
}

test('the form opens once after the navigation, and not again in another account', async () => {
  const { user, place } = renderApp(<Screen />, { pathname: '/', state: openNew })
  expect(await screen.findByText('open')).toBeVisible()
  expect(place()).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Another account' }))
  expect(screen.getByText('closed')).toBeVisible()
})
