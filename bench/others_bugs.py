#!/usr/bin/env python3
"""The reports of tests/reliability/others_bugs_test.cpp, tried with the Python libraries that are installed.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install scipy mujoco rebound diffrax torchdiffeq
    /tmp/peers/bin/python bench/others_bugs.py

One line for each case and library: passes, fails (and how), or not run. The criteria are those of the test. A case that takes more than a minute, or more memory
than 4 GB, does not end: some keep each step of a run that never comes to its end.
"""
import importlib
import math
import resource
import signal
import warnings

warnings.filterwarnings("ignore")
SECONDS = 60
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def version(name):
    try:
        return getattr(importlib.import_module(name), "__version__", "?")
    except Exception:  # whatever an import may raise
        return None


def report(case, library, verdicts):
    """verdicts: method -> None (passes) or what is wrong"""
    failed = {m: w for m, w in verdicts.items() if w}
    if not failed:
        print(f"{case:24} {library:12} passes ({', '.join(verdicts)})")
    else:
        print(f"{case:24} {library:12} fails: " + "; ".join(f"{m}: {w}" for m, w in failed.items())
              + (f"; passes: {', '.join(m for m in verdicts if m not in failed)}" if len(failed) < len(verdicts) else ""))


class TooLong(BaseException):
    """Not an Exception: libraries catch those."""


def too_long(*_):
    raise TooLong


def tried(check):
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        return check()
    except TooLong:
        return f"not at its end after {SECONDS} s"
    except MemoryError:
        return "not at its end with 4 GB of steps"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}"
    finally:
        signal.alarm(0)


def scipy_cases():
    import numpy as np
    from scipy.integrate import solve_ivp

    methods = ["RK45", "DOP853", "Radau", "BDF", "LSODA"]

    def three_zeros(method):
        s = solve_ivp(lambda t, y: [3 * t * t + 12 * t - 4], (-8, 4), [-120.0], method=method, events=lambda t, y: y[0], rtol=1e-3, atol=1e-6)
        return None if len(s.t_events[0]) == 3 else f"{len(s.t_events[0])} of 3 zeros"

    def short_span(method):
        a, d = 1.602176634e-19 / 9.1093837015e-31 * 1e9, 1e-6
        hit = math.sqrt(2 * d / a)
        wall = lambda t, y: y[0] - d
        wall.terminal = True
        s = solve_ivp(lambda t, y: [y[1], a], (0, 1.51 * hit), [0.0, 0.0], method=method, events=wall, dense_output=True, rtol=1e-6, atol=1e-12)
        if s.status != 1:
            return "no event"
        return None if abs(s.t[-1] / hit - 1) < 1e-5 else f"time off by {abs(s.t[-1] / hit - 1):.1e}"

    def interpolant(method):
        s = solve_ivp(lambda t, y: [-5 * y[0] + math.sin(t), y[0] - y[1]], (0, 5), [1.0, 0.0], method=method, dense_output=True, first_step=1e-9,
                      rtol=5e-4, atol=5e-7)
        worst = max(np.abs(piece(t) - y).max() for piece, t, y in zip(s.sol.interpolants, s.t[1:], s.y.T[1:]))
        worst = max(worst, max(np.abs(piece(t) - y).max() for piece, t, y in zip(s.sol.interpolants, s.t[:-1], s.y.T[:-1])))
        return None if worst < 1e-9 else f"off by {worst:.1e} at the ends of steps"

    def centre(method):
        a, end = 16.0, 100.0
        exact = a * np.tan(np.arctan(1.1j) - a * end)
        s = solve_ivp(lambda t, w: [-w[0] ** 2 + w[1] ** 2 - a * a, -2 * w[0] * w[1]], (0, end), [0, 1.1 * a], method=method, rtol=1e-8, atol=1e-8)
        error = abs(complex(*s.y[:, -1]) - exact)
        return None if s.success and error < 30 * 2e-7 * 2 * a * end else f"off by {error:.1e}"

    def ball(method):
        wrong = []
        for restitution in (0.8, 0.5, 0.0):
            floor = lambda t, y: y[1] * 0 + y[0] + 1
            floor.terminal, floor.direction = True, -1
            t, y, lowest, bounces = 0.0, [1.0, 0.0], 0.0, 0
            while t < 20 and bounces < 2000:
                s = solve_ivp(lambda t, y: [y[1], -9.8], (t, 20), y, method=method, events=floor, rtol=1e-6, atol=1e-9)
                lowest = min(lowest, s.y[0].min())
                if s.status != 1:
                    break
                t, y, bounces = s.t[-1], [s.y[0, -1], -restitution * s.y[1, -1]], bounces + 1
            if lowest < -1 - 1e-6:
                wrong.append(f"falls to {lowest:.3g} at restitution {restitution}")
            elif bounces == 2000:
                wrong.append(f"bounces for ever at t = {t:.3g}, restitution {restitution}")
        return ", ".join(wrong) or None

    def backwards(method):
        s = solve_ivp(lambda t, y: [2 * math.pi / -35], (0, -23.8), [0.0], method=method, dense_output=True, first_step=0.238, rtol=1e-5, atol=1e-6)
        return None if s.success and s.t[-1] == -23.8 and abs(s.y[0, -1] - 2 * math.pi / 35 * 23.8) < 1e-12 else "wrong end"

    def no_number(method):
        root = lambda t, y: math.sqrt(y[0] - 0.5) if y[0] >= 0.5 else math.nan
        root.terminal = True
        s = solve_ivp(lambda t, y: [-y[0]], (0, 2), [1.0], method=method, events=root)
        return "not noticed: status 0" if s.status == 0 else None

    def saw_tooth(method):
        jump = lambda t, y: abs(math.fmod(t - 0.5, 2) - 1) - 0.5
        jump.terminal = True
        t, y, jumps = 0.0, [0.0], 0
        while t < 10 and jumps < 50:
            s = solve_ivp(lambda t, y: [t - math.floor(t)], (t, 10), y, method=method, events=jump, rtol=1e-6, atol=1e-8, max_step=0.9)
            t, y = s.t[-1], s.y[:, -1]
            if s.status != 1:
                break
            jumps += 1
        error = abs(y[0] - 5)
        return None if error < 1.5e-3 and jumps in (9, 10) else f"off by {error:.1e}, {jumps} jumps"

    def eccentric(method):
        e = 0.9999
        def f(t, x):
            r3 = (x[0] ** 2 + x[1] ** 2) ** 1.5
            return [x[2], x[3], -x[0] / r3, -x[1] / r3]
        start = [1 + e, 0, 0, math.sqrt((1 - e) / (1 + e))]
        s = solve_ivp(f, (0, 10 * math.pi), start, method=method, rtol=1e-12, atol=1e-14)
        x = s.y[:, -1]
        energy = (x[2] ** 2 + x[3] ** 2) / 2 - 1 / math.hypot(x[0], x[1])
        return None if s.success and abs(energy + 0.5) < 1e-5 else f"energy {energy:.6g} for -0.5"

    def pole(method):
        s = solve_ivp(lambda t, y: [y[0] ** 2], (0, 2), [1.0], method=method, rtol=1e-6, atol=1e-9)
        return None if not s.success and abs(s.t[-1] - 1) < 1e-3 else f"{'finished' if s.success else 'ended'} at {s.t[-1]:.4g}"

    cases = {"scipy #9228": three_zeros, "scipy #15262": short_span, "scipy #14480": interpolant, "diffrax #702": centre,
             "DifferentialEquations #696": ball, "odeint #41": backwards, "sundials #258": no_number, "sundials #722": saw_tooth, "torchdiffeq #27": pole}
    for name, case in cases.items():
        report(name, "SciPy", {m: tried(lambda m=m: case(m)) for m in methods})
    report("rebound #546", "SciPy", {"DOP853": tried(lambda: eccentric("DOP853"))})


def mujoco_cases():
    import mujoco

    def spin(nested, integrator):
        inertia = '<inertial pos="0 0 0" mass="0.12" diaginertia="0.00017231 0.00000658 0.00017243"/>'
        inner = f"<body>{inertia}</body>" if nested else inertia
        model = mujoco.MjModel.from_xml_string(f'<mujoco><option gravity="0 0 0" timestep="0.001" integrator="{integrator}"><flag energy="enable"/></option>'
                                               f"<worldbody><body><freejoint/>{inner}</body></worldbody></mujoco>")
        data = mujoco.MjData(model)
        data.qvel[3:] = [3, 200, 2]
        mujoco.mj_forward(model, data)
        before = data.energy[1]
        for step in range(10_000):
            mujoco.mj_step(model, data)
            if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number > 0:
                return f"BADQACC at step {step}"
        mujoco.mj_forward(model, data)
        drift = abs(data.energy[1] / before - 1)
        return None if drift < 0.05 else f"energy changed by {100 * drift:.3g} %"

    report("mujoco #3553", "MuJoCo", {f"{i}{', nested' if nested else ''}": tried(lambda i=i, nested=nested: spin(nested, i))
                                       for i in ("Euler", "RK4", "implicitfast", "implicit") for nested in (False, True)})


def rebound_cases():
    import rebound

    def eccentric(integrator):
        e = 0.9999
        sim = rebound.Simulation()
        sim.integrator = integrator
        sim.add(m=1.0)
        sim.add(m=0.0, x=1 + e, vy=math.sqrt((1 - e) / (1 + e)))
        if integrator == "whfast":
            sim.dt = 0.01
        sim.integrate(10 * math.pi)
        p, s = sim.particles[1], sim.particles[0]
        energy = ((p.vx - s.vx) ** 2 + (p.vy - s.vy) ** 2) / 2 - 1 / math.hypot(p.x - s.x, p.y - s.y)
        return None if abs(energy + 0.5) < 1e-5 else f"energy {energy:.6g} for -0.5"

    report("rebound #546", "REBOUND", {i: tried(lambda i=i: eccentric(i)) for i in ("ias15", "whfast")})


def diffrax_cases():
    import diffrax
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)

    def centre(solver):
        a, end = 16.0, 100.0
        import cmath
        exact = a * cmath.tan(cmath.atan(1.1j) - a * end)
        f = lambda t, w, args: jnp.array([-w[0] ** 2 + w[1] ** 2 - a * a, -2 * w[0] * w[1]])
        s = diffrax.diffeqsolve(diffrax.ODETerm(f), solver, 0, end, 0.01, jnp.array([0, 1.1 * a]), max_steps=1_000_000,
                                stepsize_controller=diffrax.PIDController(rtol=1e-8, atol=1e-8))
        error = abs(complex(*map(float, s.ys[-1])) - exact)
        return None if error < 30 * 2e-7 * 2 * a * end else f"off by {error:.1e}"

    def late(solver):
        f = lambda t, w, args: 50 * (jnp.cos(40 * t) - w)
        s = diffrax.diffeqsolve(diffrax.ODETerm(f), solver, 967.1378944377053, 1067.0, 0.2, jnp.array([0.0]), max_steps=100_000, throw=False,
                                stepsize_controller=diffrax.PIDController(rtol=1e-10, atol=1e-10, dtmin=0.2, force_dtmin=True))
        steps = int(s.stats["num_steps"])
        return None if steps < 600 else f"{steps} steps of 500"

    def pole(solver):
        s = diffrax.diffeqsolve(diffrax.ODETerm(lambda t, y, args: y * y), solver, 0, 2, 0.01, jnp.array([1.0]), max_steps=100_000, throw=False,
                                stepsize_controller=diffrax.PIDController(rtol=1e-6, atol=1e-9))
        return "finished" if s.result == diffrax.RESULTS.successful else None

    solvers = {"Tsit5": diffrax.Tsit5(), "Dopri8": diffrax.Dopri8()}
    for name, case in {"diffrax #702": centre, "diffrax #703": late, "torchdiffeq #27": pole}.items():
        report(name, "diffrax", {m: tried(lambda s=s: case(s)) for m, s in solvers.items()})


def torchdiffeq_cases():
    import torch
    from torchdiffeq import odeint

    def pole(method):
        try:
            y = odeint(lambda t, y: y * y, torch.tensor([1.0], dtype=torch.float64), torch.tensor([0.0, 2.0], dtype=torch.float64), method=method, rtol=1e-6, atol=1e-9)
        except AssertionError as error:
            return f"an assertion, and no state: {str(error)[:60]}"
        return f"finished with {float(y[-1]):.3g}"

    report("torchdiffeq #27", "torchdiffeq", {m: tried(lambda m=m: pole(m)) for m in ("dopri5", "dopri8")})


if __name__ == "__main__":
    for library, cases in {"scipy": scipy_cases, "mujoco": mujoco_cases, "rebound": rebound_cases, "diffrax": diffrax_cases, "torchdiffeq": torchdiffeq_cases}.items():
        found = version(library)
        print(f"-- {library} {found}" if found else f"-- {library}: not run, it is not installed")
        if found:
            cases()
