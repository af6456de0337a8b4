import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'

/** Go to a screen with this as the navigation's state, and it opens its form for something new. */
export const openNew = { opens: 'new' } as const

/** Whether the form for something new is open: by its button, or since someone came here for it. */
export function useNewForm(): [isOpen: boolean, form: { open: () => void; close: () => void }] {
  const [isOpen, form] = useDisclosure()
  const { open } = form
  const { pathname, search, state } = useLocation()
  const navigate = useNavigate()
  // Reads `openNew` only, and ignores other state.
  const isAsked = (state as Partial<typeof openNew> | null)?.opens === 'new'
  useEffect(() => {
    if (!isAsked) return
    open()
    // Once: a reload, or another account that is entered, must not open it again.
    void navigate(pathname + search, { replace: true, state: null })
  }, [isAsked, open, navigate, pathname, search])
  return [isOpen, form]
}
