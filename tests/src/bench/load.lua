-- What wrk sends, and one line of figures at the end. Each thread of wrk runs a copy of this.
local kind = os.getenv("BENCH_REQUESTS")
local token = os.getenv("BENCH_TOKEN")
local keyed = os.getenv("BENCH_KEYED") == "true"
local requests = {}
local threads = 0
local sent = 0

if token ~= "" then wrk.headers["Authorization"] = "Bearer " .. token end

function setup(thread)
  threads = threads + 1
  thread:set("seed", threads)
end

local function moved()
  local month, day, hour = math.random(12), math.random(28), math.random(0, 22)
  return string.format(
    '{"startAt":"2026-%02d-%02dT%02d:%02d:00.000Z","endAt":"2026-%02d-%02dT%02d:59:59.000Z"}',
    month, day, hour, math.random(0, 59), month, day, hour
  )
end

local function described()
  return string.format('{"description":"Look at gate %d"}', math.random(1000000))
end

local bodies = { times = moved, description = described }

-- A function named `request` is called for every request: it is there only where it is needed.
if kind ~= "same" then
  local body = bodies[kind]

  function init()
    math.randomseed(seed)
    began = os.time()
    if body then wrk.headers["Content-Type"] = "application/json" end
    for id in io.lines(os.getenv("BENCH_IDS")) do
      local path = os.getenv("BENCH_BEFORE") .. id .. os.getenv("BENCH_AFTER")
      table.insert(requests, body and path or wrk.format("GET", path))
    end
  end

  function request()
    local picked = requests[math.random(#requests)]
    if keyed then
      sent = sent + 1
      wrk.headers["Idempotency-Key"] = string.format("%s-%d-%d", began, seed, sent)
    end
    return body and wrk.format("PATCH", picked, nil, body()) or picked
  end
end

function done(summary, latency)
  local failed = summary.errors
  local errors = failed.connect + failed.read + failed.write + failed.status + failed.timeout
  print(string.format(
    "report %d %d %d %d %d",
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors
  ))
end
