-- What wrk sends, and one line of figures at the end. Each thread of wrk runs a copy of this.
local kind = os.getenv("BENCH_REQUESTS")
local requests = {}
local threads = 0

wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_TOKEN")

function setup(thread)
  threads = threads + 1
  thread:set("seed", threads)
end

local function write(id)
  local body = string.format(
    '{"startAt":"2026-%02d-%02dT%02d:%02d:00.000Z","endAt":"2027-01-01T00:00:00.000Z"}',
    math.random(12), math.random(28), math.random(0, 23), math.random(0, 59)
  )
  return wrk.format("PATCH", "/v1/task-executions/" .. id, nil, body)
end

-- A function named `request` is called for every request: it is there only where it is needed.
if kind ~= "same" then
  function init()
    math.randomseed(seed)
    if kind == "writes" then wrk.headers["Content-Type"] = "application/json" end
    for id in io.lines(os.getenv("BENCH_IDS")) do
      local made = id
      if kind == "reads" then made = wrk.format("GET", "/v1/task-executions/" .. id) end
      table.insert(requests, made)
    end
  end

  function request()
    local picked = requests[math.random(#requests)]
    return kind == "reads" and picked or write(picked)
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
