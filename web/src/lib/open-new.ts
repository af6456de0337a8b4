import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'

/** Navigation state that makes a screen open its form for a new item. */
export const openNew = { opens: 'new' } as const

/** Whether the form for a new item is open: by its button, or because the user navigated here with `openNew`. */
export function useNewForm(): [isOpen: boolean, form: { open: () => void; close: () => void }] {
  const [isOpen, form] = useDisclosure()
  const { open } = form
  const { pathname, search, state } = useLocation()
  const navigate = useNavigate()
  // Reads `openNew` only; other state is ignored.
  const isAsked = (state as Partial<typeof openNew> | null)?.opens === 'new'
  useEffect(() => {
    if (!isAsked) return
    open()
    // Only once: a reload, or entering another account, must not open the form again.
    void navigate(pathname + search, { replace: true, state: null })
  }, [isAsked, open, navigate, pathname, search])
  return [isOpen, form]
}
