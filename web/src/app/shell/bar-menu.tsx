import { useClickOutside, useDisclosure, useFocusReturn, useFocusTrap, useWindowEvent } from '@mantine/hooks'
import { type ReactNode, useId } from 'react'
import css from './bar-menu.module.css'

/** For the button that opens the menu. */
type BarMenuTrigger = {
  'aria-haspopup': 'dialog'
  'aria-expanded': boolean
  'aria-controls': string | undefined
  onClick: () => void
}

type BarMenuProps = {
  /** Name of the panel. */
  label: string
  /** Width of the panel, in pixels. */
  width: number
  /** The side on which button and panel are aligned. */
  align?: 'start' | 'end'
  /** Its content reaches the edges. */
  isFlush?: boolean
  className?: string | undefined
  trigger: (button: BarMenuTrigger, isOpen: boolean) => ReactNode
  children: (close: () => void) => ReactNode
}

/**
 * A button of the bar and the panel that opens below it. The bar is always at the top, so the panel needs none of the
 * positioning of Mantine's Popover, which would be a sixth of the first load.
 */
export function BarMenu({ label, width, align = 'end', isFlush = false, className, trigger, children }: BarMenuProps) {
  const [isOpen, { close, toggle }] = useDisclosure()
  const id = useId()
  const root = useClickOutside<HTMLDivElement>(() => isOpen && close())
  const panel = useFocusTrap(isOpen)
  useFocusReturn({ opened: isOpen })
  useWindowEvent('keydown', ({ key }) => isOpen && key === 'Escape' && close())
  return (
    <div ref={root} className={[css['root'], className].join(' ')}>
      {trigger(
        {
          'aria-haspopup': 'dialog',
          'aria-expanded': isOpen,
          'aria-controls': isOpen ? id : undefined,
          onClick: toggle,
        },
        isOpen,
      )}
      {isOpen && (
        <dialog
          ref={panel}
          open
          id={id}
          className={css['panel']}
          data-align={align}
          data-flush={isFlush || undefined}
          style={{ width }}
          aria-label={label}
        >
          {children(close)}
        </dialog>
      )}
    </div>
  )
}
