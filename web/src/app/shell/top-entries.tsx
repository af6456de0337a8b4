import { UnstyledButton } from '@mantine/core'
import { NavLink, useLocation } from 'react-router'
import IconChevronDown from '#icons/IconChevronDown'
import { type Area, areaOf } from '../screens.ts'
import { BarMenu } from './bar-menu.tsx'
import { useFitting } from './fitting.ts'
import menuCss from './bar-menu.module.css'
import css from './top-bar.module.css'

/** The areas of the portal in a row; entries that do not fit move into a menu at its end. */
export function TopEntries({ areas }: { areas: Area[] }) {
  const { row, ruler, count } = useFitting(areas.length)
  const rest = areas.slice(count)
  return (
    <nav ref={row} className={css['entries']} aria-label="Main">
      <div ref={ruler} className={css['ruler']} aria-hidden>
        {areas.map(({ path, label }) => (
          <span key={path} className={css['entry']}>
            {label}
          </span>
        ))}
      </div>
      {areas.slice(0, count).map(({ path, label }) => (
        <NavLink key={path} to={path} className={css['entry'] ?? ''}>
          {label}
        </NavLink>
      ))}
      {rest.length > 0 && <More areas={rest} />}
    </nav>
  )
}

function More({ areas }: { areas: Area[] }) {
  const { pathname } = useLocation()
  const current = areaOf(pathname)
  const isHere = current !== undefined && areas.includes(current)
  return (
    <BarMenu
      label="More"
      width={200}
      align="start"
      trigger={(button) => (
        <UnstyledButton className={css['entry'] ?? ''} data-here={isHere || undefined} {...button}>
          More
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      )}
    >
      {(close) =>
        areas.map(({ path, label, Icon }) => (
          <NavLink key={path} to={path} className={menuCss['entry'] ?? ''} onClick={close}>
            <Icon size={17} stroke={1.6} aria-hidden />
            {label}
          </NavLink>
        ))
      }
    </BarMenu>
  )
}
