#ifndef ABIGEN_CPP_V1_HPP_
#define ABIGEN_CPP_V1_HPP_

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define ABIGEN_CPP_EXCEPTIONS 1
#else
#define ABIGEN_CPP_EXCEPTIONS 0
#endif

namespace abigen {
inline namespace v1 {

namespace detail {

// A pointer that may not be NULL where it is handed over.
template <class Pointer>
Pointer NonNull(Pointer pointer, const char* problem) {
  if (pointer == nullptr) {
#if ABIGEN_CPP_EXCEPTIONS
    throw std::invalid_argument(problem);
#else
    std::fprintf(stderr, "%s\n", problem);
    std::abort();
#endif
  }
  return pointer;
}

}  // namespace detail

// Elements that belong to someone else: where they begin, and how many there
// are. Whatever has data() and size() becomes one by itself. NULL is refused
// where there are any.
template <class T>
class Span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size)
      : data_(size == 0 ? data
                        : detail::NonNull(data, "a span of NULL has elements")),
        size_(size) {}
  template <std::size_t N>
  constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  template <class Range, class = std::enable_if_t<
                             !std::is_same_v<std::decay_t<Range>, Span> &&
                             std::is_convertible_v<
                                 std::remove_pointer_t<
                                     decltype(std::declval<Range&>().data())> (
                                     *)[],
                                 T (*)[]> &&
                             std::is_convertible_v<
                                 decltype(std::declval<Range&>().size()),
                                 std::size_t>>>
  constexpr Span(Range&& range) noexcept(noexcept(range.data()))
      : data_(range.data()), size_(range.size()) {}
  // Only for as long as the full expression that the list stands in.
  template <class Element = T,
            class = std::enable_if_t<std::is_const_v<Element>>>
  constexpr Span(std::initializer_list<value_type> list) noexcept
      : data_(std::data(list)), size_(list.size()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  constexpr T& operator[](std::size_t at) const noexcept { return data_[at]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// What classes for handles have in common, those that own and those that borrow
// one. Two are equal when they are the same in C.
template <class Class, class Handle>
class HandleBase {
 public:
  constexpr Handle get() const noexcept { return handle_; }
  explicit constexpr operator bool() const noexcept {
    return handle_ != nullptr;
  }
  friend bool operator==(const Class& a, const Class& b) noexcept {
    return a.get() == b.get();
  }
  friend bool operator!=(const Class& a, const Class& b) noexcept {
    return a.get() != b.get();
  }

 protected:
  constexpr HandleBase() noexcept = default;
  explicit constexpr HandleBase(Handle handle) noexcept : handle_(handle) {}

  Handle handle_ = nullptr;
};

// What a call has given, and the status that says whether it went well. When it
// did not, the value is whatever the call left: an empty object, a zero.
template <class T, class Status>
class [[nodiscard]] StatusOr {
 public:
  constexpr StatusOr(T value, Status status)
      : value_(std::move(value)), status_(std::move(status)) {}

  bool ok() const { return status_.ok(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const& noexcept { return status_; }
  Status status() && noexcept { return std::move(status_); }

  T& operator*() & noexcept { return value_; }
  const T& operator*() const& noexcept { return value_; }
  T&& operator*() && noexcept { return std::move(value_); }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }
#if ABIGEN_CPP_EXCEPTIONS
  // The value; throws the status when that is an error.
  T OrThrow() && {
    status_.OrThrow();
    return std::move(value_);
  }
#endif

 private:
  T value_;
  Status status_;
};

#if ABIGEN_CPP_EXCEPTIONS
// What is thrown of a code. A callback that returns such codes, and that it
// leaves, returns the code.
template <class Value>
class CodeError : public std::runtime_error {
 public:
  CodeError(Value code, const char* message)
      : std::runtime_error(message), code_(code) {}
  Value code() const noexcept { return code_; }

 private:
  Value code_;
};
#endif

// A code that says whether a call went well. It is the one in C wherever that
// is asked for. Ask `ok()`: C takes some codes of errors for true.
template <class Codes>
class [[nodiscard]] Code {
 public:
  using Value = typename Codes::Value;
  // NOLINTNEXTLINE(google-explicit-constructor): functions return codes of C.
  constexpr Code(Value code) noexcept : code_(code) {}
  // NOLINTNEXTLINE(google-explicit-constructor): C is handed codes.
  constexpr operator Value() const noexcept { return code_; }
  explicit operator bool() const = delete;

  constexpr bool ok() const noexcept { return code_ == Codes::kOk; }
  constexpr Value code() const noexcept { return code_; }
  const char* name() const noexcept { return Codes::Name(code_); }
#if ABIGEN_CPP_EXCEPTIONS
  // Throws a code of an error, with the message of the last error where the API
  // keeps that, and the name of the code otherwise.
  void OrThrow() const {
    if (!ok()) {
      const char* message = Codes::Message();
      const bool is_there = message != nullptr && *message != '\0';
      throw CodeError<Value>(code_, is_there ? message : name());
    }
  }
#endif

 private:
  Value code_;
};

// All flags but some.
template <class Flags>
struct AllBut {
  Flags flags;
};
template <class Flags>
constexpr Flags operator&(Flags left, AllBut<Flags> right) noexcept {
  using Number = std::underlying_type_t<Flags>;
  return static_cast<Flags>(static_cast<Number>(left) &
                            ~static_cast<Number>(right.flags));
}
template <class Flags>
constexpr Flags operator&(AllBut<Flags> left, Flags right) noexcept {
  return right & left;
}
template <class Flags>
constexpr Flags& operator&=(Flags& left, AllBut<Flags> right) noexcept {
  return left = left & right;
}

// What can be done with an argument of a callback when the callback fails.
// `rank` is 2 for a status object, 1 for a handle that can be told of failure.
template <class T>
struct ErrorCarrier {
  static constexpr int rank = 0;
};

// What a callback returns when it has failed: zero, unless it is known better.
template <class R>
struct FailureResult {
  static R Get() noexcept { return R(); }
};

// For APIs that do not keep the last error.
struct NoLastError {
  using Code = int;
  using Value = int;
  static constexpr Code kFailed = 0;
};

#if ABIGEN_CPP_EXCEPTIONS
// The rest of this part is for use only while an exception is being handled.
// The code that is being thrown; another value when something else is.
template <class Value>
Value ThrownCode(Value otherwise) noexcept {
  try {
    throw;
  } catch (const CodeError<Value>& error) {
    return error.code();
  } catch (...) {
    return otherwise;
  }
}

// Tells an API that keeps the last error what is being thrown.
template <class LastError>
void Tell([[maybe_unused]] typename LastError::Code code) noexcept {
  if constexpr (!std::is_same_v<LastError, NoLastError>) {
    try {
      throw;
    } catch (const std::exception& error) {
      LastError::Set(code, error.what());
    } catch (...) {
      LastError::Set(code, "an exception of an unknown type");
    }
  }
}
#endif

// What a callback returns when its function throws and no argument can carry
// that: zero, for results that do not tell of errors.
struct FailsWithZero {
  static constexpr bool kIsSaid = true;
  template <class R>
  static R Get() noexcept {
    return FailureResult<R>::Get();
  }
  template <class R>
  static R Thrown() noexcept {
    return Get<R>();
  }
};

// The same for results that are codes: the code that was thrown, or one that
// stands for any failure.
template <auto kOk, auto kFailure, class LastError = NoLastError>
struct FailsWithCode {
  static constexpr bool kIsSaid = true;
  template <class R>
  static R Get() noexcept {
    return static_cast<R>(kFailure);
  }
#if ABIGEN_CPP_EXCEPTIONS
  template <class R>
  static R Thrown() noexcept {
    const R thrown = ThrownCode<R>(Get<R>());
    const R code = thrown != static_cast<R>(kOk) ? thrown : Get<R>();
    Tell<LastError>(static_cast<typename LastError::Code>(code));
    return code;
  }
#endif
};

// The same for negative error numbers, and for NULL.
template <auto kFailure, class LastError = NoLastError>
struct FailsWith {
  static constexpr bool kIsSaid = true;
  template <class R>
  static R Get() noexcept {
    return static_cast<R>(kFailure);
  }
#if ABIGEN_CPP_EXCEPTIONS
  template <class R>
  static R Thrown() noexcept {
    using Code = typename LastError::Code;
    if constexpr (std::is_arithmetic_v<decltype(kFailure)>) {
      Tell<LastError>(static_cast<Code>(-kFailure));
    } else {
      using Value = typename LastError::Value;
      const auto failed = static_cast<Value>(LastError::kFailed);
      Tell<LastError>(static_cast<Code>(ThrownCode<Value>(failed)));
    }
    return Get<R>();
  }
#endif
};

// The same for APIs that do not say which results mean failure. Functions that
// may throw are refused, so that nobody takes their failure for success.
struct MustNotFail {
  static constexpr bool kIsSaid = false;
  template <class R>
  static R Get() noexcept {
    if constexpr (!std::is_void_v<R>) {
      std::terminate();
    }
  }
  template <class R>
  static R Thrown() noexcept {
    return Get<R>();
  }
};

template <class T>
struct IsStatus : std::false_type {};

template <class T>
struct IsStatusOr : std::false_type {};
template <class T, class Status>
struct IsStatusOr<StatusOr<T, Status>> : std::true_type {};

// How much of an object that one side allocated and the other fills may be
// written: as much as both know. Sets all of it to zero, and its size.
template <class Size>
std::size_t Begin(void* object, std::size_t allocated, std::size_t known) {
  const std::size_t size = allocated < known ? allocated : known;
  if (object == nullptr || size < sizeof(Size)) {
    return 0;
  }
  std::memset(object, 0, size);
  const Size stamp = static_cast<Size>(size);
  std::memcpy(object, &stamp, sizeof(stamp));
  return size;
}

// A table of functions that someone else has filled, perhaps one that is older
// and ends before the members that this side knows.
template <class Table>
class TableView {
 public:
  const Table* get() const noexcept { return table_; }
  // The first function that has to be there and is not; NULL when all are.
  const char* Missing() const noexcept { return missing_; }
  explicit operator bool() const noexcept { return missing_ == nullptr; }
  // Whether the table is large enough for a function: Knows<&Table::member>().
  template <auto member>
  bool Knows() const noexcept {
    if (table_ == nullptr) {
      return false;
    }
    const auto* begin = reinterpret_cast<const char*>(table_);
    const auto* place = reinterpret_cast<const char*>(&(table_->*member));
    const auto end = static_cast<std::size_t>(place - begin) +
                     sizeof(table_->*member);
    return end <= size_;
  }
  // Whether the table has a function: Has<&Table::member>().
  template <auto member>
  bool Has() const noexcept {
    return Knows<member>() && table_->*member != nullptr;
  }

 protected:
  TableView(const Table* table, std::size_t size) noexcept
      : table_(table), size_(size) {}
  template <auto member>
  void Require(const char* name) noexcept {
    if (missing_ == nullptr && !Has<member>()) {
      missing_ = name;
    }
  }
  // A table of an older release may end before the function.
  template <auto member>
  void RequireIfKnown(const char* name) noexcept {
    if (Knows<member>()) {
      Require<member>(name);
    }
  }
  template <auto member, class... Arguments>
  auto Call(Arguments... arguments) const {
    return (table_->*member)(arguments...);
  }
  // Calls what may not be there: a value, or none; true or false for void.
  template <auto member, class... Arguments>
  auto Try(Arguments... arguments) const {
    using Given = decltype((table_->*member)(arguments...));
    if constexpr (std::is_void_v<Given>) {
      if (!Has<member>()) {
        return false;
      }
      (table_->*member)(arguments...);
      return true;
    } else {
      using Returned = std::optional<std::remove_cv_t<Given>>;
      return Has<member>() ? Returned((table_->*member)(arguments...))
                           : Returned();
    }
  }

 private:
  const Table* table_;
  std::size_t size_;
  const char* missing_ = nullptr;
};

namespace detail {

// Stands for the argument that carries errors where there is none.
struct NoCarrier {};

template <class... Args>
constexpr std::size_t CarrierAt() {
  constexpr int ranks[] = {ErrorCarrier<std::remove_cv_t<Args>>::rank..., 0};
  std::size_t best = sizeof...(Args);
  for (std::size_t at = 0; at < sizeof...(Args); ++at) {
    if (ranks[at] > ranks[best]) {
      best = at;
    }
  }
  return best;
}

template <class... Args>
constexpr auto CarrierOf(Args... args) {
  constexpr std::size_t at = CarrierAt<Args...>();
  if constexpr (at < sizeof...(Args)) {
    return std::get<at>(std::tuple<Args...>(args...));
  } else {
    return NoCarrier();
  }
}

// Calls a function of a class with the arguments of a callback, without the one
// at a position.
template <std::size_t Skipped, class Call, class... Args, std::size_t... At>
auto CallWithout(Call&& call, std::tuple<Args...> args,
                 std::index_sequence<At...>)
    -> decltype(call(std::get<(At < Skipped ? At : At + 1)>(args)...)) {
  return call(std::get<(At < Skipped ? At : At + 1)>(args)...);
}

// Hands on what a function of a class has returned.
template <class R, class Carrier, class Value>
R Deliver(Carrier carrier, Value&& value) {
  using Bare = std::decay_t<Value>;
  if constexpr (IsStatus<Bare>::value) {
    static_assert(ErrorCarrier<Carrier>::rank > 0,
                  "nothing that this callback is handed could carry a status");
    ErrorCarrier<Carrier>::Store(carrier, value);
    return R();
  } else if constexpr (IsStatusOr<Bare>::value) {
    static_assert(ErrorCarrier<Carrier>::rank > 0,
                  "nothing that this callback is handed could carry a status");
    ErrorCarrier<Carrier>::Store(carrier, value.status());
    return static_cast<R>(*std::forward<Value>(value));
  } else {
    static_assert(std::is_convertible_v<Value, R>,
                  "the function returns something else than the callback");
    return static_cast<R>(std::forward<Value>(value));
  }
}

// Calls, and says that all went well unless the function says it itself.
template <class R, bool kSucceeds, class Carrier, class Call>
R Perform(Carrier carrier, Call&& call) {
  using Value = decltype(call());
  if constexpr (std::is_void_v<Value>) {
    static_assert(std::is_void_v<R>,
                  "the function returns nothing, but the callback something");
    call();
    if constexpr (kSucceeds && ErrorCarrier<Carrier>::rank == 2) {
      ErrorCarrier<Carrier>::Succeed(carrier);
    }
  } else if constexpr (kSucceeds && ErrorCarrier<Carrier>::rank == 2 &&
                       !IsStatus<std::decay_t<Value>>::value &&
                       !IsStatusOr<std::decay_t<Value>>::value) {
    decltype(auto) value = call();
    ErrorCarrier<Carrier>::Succeed(carrier);
    return Deliver<R>(carrier, std::forward<Value>(value));
  } else {
    return Deliver<R>(carrier, call());
  }
}

// The ways in which a callback can be called on a class, and what else the
// class can have for it.
template <class D, class R>
using ExceptionCall =
    std::enable_if_t<std::is_same_v<decltype(D::template OnException<R>()), R>>;
template <class D, class Member, class... Args>
using StaticCall = decltype(Member::template Call<D>(std::declval<Args>()...));
template <class D, class Member, class... Args>
using ObjectCall = decltype(Member::CallOn(std::declval<D&>(),
                                           std::declval<Args>()...));

template <class D, class First, class... Others>
using SelfCall =
    std::enable_if_t<std::is_convertible_v<
        decltype(D::Self(std::declval<First>())), D&>>;

template <class Void, template <class...> class Call, class... Args>
struct CanCall : std::false_type {};
template <template <class...> class Call, class... Args>
struct CanCall<std::void_t<Call<Args...>>, Call, Args...> : std::true_type {};

// Refuses a function that may throw where nothing could tell C of that.
template <class R, class D, class Failure, class Carrier>
constexpr void RefuseToThrow() {
#if ABIGEN_CPP_EXCEPTIONS
  static_assert(Failure::kIsSaid || std::is_void_v<R> ||
                    ErrorCarrier<Carrier>::rank > 0 ||
                    CanCall<void, ExceptionCall, D, R>::value,
                "nothing says which result means failure: make the function "
                "noexcept, or say what C gets in the class's "
                "`static R OnException<R>()`");
#endif
}

// Lets no exception out: it goes into what can carry an error. Where nothing
// can, the class may say what is returned; in `OnException<R>()`, `throw;`
// throws the exception again.
template <class R, class D, class Failure, class Carrier, class Call>
R Guard([[maybe_unused]] Carrier carrier, Call&& call) noexcept {
#if ABIGEN_CPP_EXCEPTIONS
  try {
    return call();
  } catch (...) {
    if constexpr (ErrorCarrier<Carrier>::rank > 0) {
      ErrorCarrier<Carrier>::FailWithException(carrier);
    } else if constexpr (CanCall<void, ExceptionCall, D, R>::value) {
      try {
        return D::template OnException<R>();
      } catch (...) {
        return Failure::template Get<R>();
      }
    } else if constexpr (!std::is_void_v<R>) {
      return Failure::template Thrown<R>();
    }
  }
  return Failure::template Get<R>();
#else
  return call();
#endif
}

// The arguments of a callback without the status.
template <class Indices, std::size_t Skipped, class... Args>
struct Without;
template <std::size_t... At, std::size_t Skipped, class... Args>
struct Without<std::index_sequence<At...>, Skipped, Args...> {
  using All = std::tuple<Args...>;
  template <template <class...> class Call, class... First>
  static constexpr bool CanCallWith() {
    return CanCall<
        void, Call, First...,
        std::tuple_element_t<(At < Skipped ? At : At + 1), All>...>::value;
  }
};

// A callback of C that calls a function of a class: with all arguments, or
// without the status, which is then what the function returns or throws.
template <class D, class Member, class Signature>
struct Callback;

template <class D, class Member, class R, class... Args>
struct Callback<D, Member, R (*)(Args...)> {
  using Object = std::conditional_t<std::is_void_v<D>, NoCarrier, D>;
  static constexpr std::size_t kCarrier = CarrierAt<Args...>();
  static constexpr bool kHasStatus =
      ErrorCarrier<std::remove_cv_t<decltype(CarrierOf(
          std::declval<Args>()...))>>::rank == 2;
  static constexpr std::size_t kLeft = sizeof...(Args) - (kHasStatus ? 1 : 0);
  using Rest = Without<std::make_index_sequence<kLeft>,
                       kHasStatus ? kCarrier : sizeof...(Args), Args...>;

  static constexpr bool kStatic =
      CanCall<void, StaticCall, D, Member, Args...>::value;
  static constexpr bool kStaticWithout =
      kHasStatus && Rest::template CanCallWith<StaticCall, D, Member>();
  static constexpr bool kObject =
      CanCall<void, ObjectCall, Object, Member, Args...>::value;
  static constexpr bool kObjectWithout =
      kHasStatus && Rest::template CanCallWith<ObjectCall, Object, Member>();
  static constexpr bool kSelf = CanCall<void, SelfCall, Object, Args...>::value;
  static constexpr bool kCallable =
      kStatic || kStaticWithout || kObject || kObjectWithout;

  using Failure = typename Member::Failure;
  using Carrier =
      std::remove_cv_t<decltype(CarrierOf(std::declval<Args>()...))>;
  static constexpr auto MayThrow() {
    if constexpr (kStatic) {
      return std::bool_constant<!noexcept(
          Member::template Call<D>(std::declval<Args>()...))>();
    } else if constexpr (kSelf && kObject) {
      return std::bool_constant<
          !noexcept(Self(std::declval<Args>()...)) ||
          !noexcept(Member::CallOn(std::declval<Object&>(),
                                   std::declval<Args>()...))>();
    } else {
      return std::false_type();
    }
  }

  static R Call(Args... args) noexcept {
    static_assert(kCallable,
                  "the function cannot be called with what the callback is "
                  "handed, with or without the status: see the arguments of "
                  "abigen::detail::Callback for the class, the function and "
                  "the callback");
    if constexpr (decltype(MayThrow())::value) {
      RefuseToThrow<R, Object, Failure, Carrier>();
    }
    const auto carrier = CarrierOf(args...);
    return Guard<R, Object, Failure>(carrier, [&]() -> R {
      if constexpr (kStatic) {
        return Perform<R, false>(
            carrier, [&]() -> decltype(auto) {
              return Member::template Call<D>(args...);
            });
      } else if constexpr (kStaticWithout) {
        return Perform<R, true>(carrier, [&]() -> decltype(auto) {
          return CallWithout<kCarrier>(
              [](auto... rest) -> decltype(auto) {
                return Member::template Call<D>(rest...);
              },
              std::tuple<Args...>(args...), std::make_index_sequence<kLeft>());
        });
      } else if constexpr (!kSelf && (kObject || kObjectWithout)) {
        static_assert(kSelf,
                      "functions that are not static take a function `static "
                      "Class& Self(first argument of the callback)`");
        return R();
      } else if constexpr (kObject) {
        return Perform<R, false>(
            carrier, [&]() -> decltype(auto) {
              return Member::CallOn(Self(args...), args...);
            });
      } else if constexpr (kObjectWithout) {
        return Perform<R, true>(carrier, [&]() -> decltype(auto) {
          Object& self = Self(args...);
          return CallWithout<kCarrier>(
              [&self](auto... rest) -> decltype(auto) {
                return Member::CallOn(self, rest...);
              },
              std::tuple<Args...>(args...), std::make_index_sequence<kLeft>());
        });
      } else {
        return R();
      }
    });
  }

 private:
  template <class First, class... Others>
  static Object& Self(First first, Others...) noexcept(
      noexcept(Object::Self(first))) {
    return Object::Self(first);
  }
};

// A function that is known when the program is compiled, as such a member.
template <auto function, class Fails>
struct Constant {
  using Failure = Fails;
  template <class D, class... Args>
  static auto Call(Args... args) noexcept(noexcept(function(args...)))
      -> decltype(function(args...)) {
    return function(args...);
  }
};
template <auto function, class Signature, class Failure>
using FunctionCallback = Callback<void, Constant<function, Failure>, Signature>;

// Whether a class has a member of a name, be it a function that is overloaded,
// a template, or private: then the name is ambiguous beside a decoy's. Of a
// final class nothing can be derived; there it has to be callable.
template <class Decoy, class D>
struct Beside : Decoy, D {};
template <class D, class Member, class = void>
struct IsNotAmbiguous : std::false_type {};
template <class D, class Member>
struct IsNotAmbiguous<
    D, Member,
    std::void_t<decltype(Member::template Address<
                         Beside<typename Member::AbigenDecoy, D>>())>>
    : std::true_type {};
template <class D, class Member, class = void>
struct HasAddress : std::false_type {};
template <class D, class Member>
struct HasAddress<D, Member,
                  std::void_t<decltype(Member::template Address<D>())>>
    : std::true_type {};

template <class D, class Member>
constexpr bool HasMember() {
  if constexpr (std::is_final_v<D>) {
    return HasAddress<D, Member>::value;
  } else {
    return !IsNotAmbiguous<D, Member>::value;
  }
}
template <class D, class Member, class Function>
constexpr bool Has() {
  return HasMember<D, Member>() || Callback<D, Member, Function>::kCallable;
}

// Sets one member of a struct where the class has its function and the object
// its room.
template <class D, class Member, class Struct, class Function>
void Set([[maybe_unused]] Struct* object, [[maybe_unused]] std::size_t size,
         [[maybe_unused]] std::size_t offset,
         [[maybe_unused]] Function Struct::*member) {
  if constexpr (Has<D, Member, Function>()) {
    if (size >= offset + sizeof(Function)) {
      object->*member = &Callback<D, Member, Function>::Call;
    }
  }
}

// Callbacks that make, use and destroy objects of a class.
template <class Object, class Signature, class Failure>
struct Creation;
template <class Object, class R, class... Args, class Failure>
struct Creation<Object, R (*)(Args...), Failure> {
  static R Call(Args... args) noexcept {
    if constexpr (!std::is_nothrow_constructible_v<Object, Args...> &&
                  (std::is_constructible_v<Object, Args...> ||
                   !std::is_nothrow_default_constructible_v<Object>)) {
      using Carrier = std::remove_cv_t<decltype(CarrierOf(args...))>;
      RefuseToThrow<R, Object, Failure, Carrier>();
    }
    return Guard<R, Object, Failure>(CarrierOf(args...), [&]() -> R {
      if constexpr (std::is_constructible_v<Object, Args...>) {
        // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): Guard has it.
        return new Object(args...);
      } else {
        static_assert(std::is_default_constructible_v<Object>,
                      "objects of the class can be made neither of what the "
                      "callback is handed nor of nothing");
        // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): Guard has it.
        return new Object();
      }
    });
  }
};

template <class Object, class Signature>
struct Destruction;
template <class Object, class R>
struct Destruction<Object, R (*)(void*)> {
  static R Call(void* object) noexcept { delete static_cast<Object*>(object); }
};

template <class Object, class Member, class Signature>
struct Method;
template <class Object, class Member, class R, class... Args>
struct Method<Object, Member, R (*)(void*, Args...)> {
  // The class's function is looked for as if the object came first.
  struct Bound {
    using Failure = typename Member::Failure;
    template <class D, class... Rest>
    static auto Call(void* object, Rest... rest) noexcept(
        noexcept(Member::CallOn(std::declval<Object&>(), rest...)))
        -> decltype(Member::CallOn(std::declval<Object&>(), rest...)) {
      return Member::CallOn(*static_cast<Object*>(object), rest...);
    }
  };
  using Called = Callback<Object, Bound, R (*)(void*, Args...)>;
  static R Call(void* object, Args... args) noexcept {
    static_assert(HasMember<Object, Member>() || Called::kCallable,
                  "the class lacks a function that the callback would call: "
                  "see the arguments of abigen::detail::Method");
    if (object == nullptr) {
      using Carrier = std::remove_cv_t<decltype(CarrierOf(args...))>;
      if constexpr (ErrorCarrier<Carrier>::rank > 0) {
        ErrorCarrier<Carrier>::Fail(CarrierOf(args...),
                                    "the object could not be created");
      }
      return Member::Failure::template Get<R>();
    }
    return Called::Call(object, args...);
  }
};

}  // namespace detail
}  // namespace v1
}  // namespace abigen

// Lets values of an enumeration of flags be combined without casts. `~` gives
// what is good for `&` alone, which keeps the bits that have no names here.
// NOLINTBEGIN(bugprone-macro-parentheses): a type takes none.
#define ABIGEN_CPP_FLAG_OPERATOR(type, operation)                    \
  constexpr type operator operation(type left, type right) noexcept { \
    using Number = std::underlying_type_t<type>;                      \
    return static_cast<type>(static_cast<Number>(left)                \
                                 operation static_cast<Number>(right)); \
  }                                                                   \
  constexpr type& operator operation##=(type & left, type right) noexcept { \
    return left = left operation right;                               \
  }
// clang-format off
#define ABIGEN_CPP_FLAGS(type)      \
  constexpr abigen::AllBut<type> operator~(type flags) noexcept { \
    return {flags};                 \
  }                                 \
  ABIGEN_CPP_FLAG_OPERATOR(type, |) \
  ABIGEN_CPP_FLAG_OPERATOR(type, &) \
  ABIGEN_CPP_FLAG_OPERATOR(type, ^) \
  static_assert(std::is_enum_v<type>)
// clang-format on
// NOLINTEND(bugprone-macro-parentheses)

// For the body of a function that fills `object`, of which there are `size`
// bytes, with the functions of `Derived`: refuses a class without the function
// for a member, and sets the member where the class has one.
// NOLINTBEGIN(bugprone-macro-parentheses): names and types take none.
#define ABIGEN_CPP_REQUIRE(table, type, member, accessor)                  \
  static_assert(                                                           \
      abigen::detail::Has<Derived, accessor, decltype(type::member)>(),    \
      #table ": `" #member "` of " #type                                   \
      " is required, and the class does not define it")
#define ABIGEN_CPP_SET(type, member, accessor) \
  abigen::detail::Set<Derived, accessor>(      \
      object, size, offsetof(type, member), &type::member)
// NOLINTEND(bugprone-macro-parentheses)

// Finds the function of a class that has a certain name, and knows what its
// result is when it has failed.
// NOLINTBEGIN(bugprone-macro-parentheses): a name takes none.
#define ABIGEN_CPP_MEMBER(accessor, name, ...)                              \
  struct accessor {                                                         \
    using Failure = __VA_ARGS__;                                            \
    template <class D, class... Args>                                       \
    static auto Call(Args... args) noexcept(noexcept((D::name)(args...)))   \
        -> decltype((D::name)(args...)) {                                   \
      return (D::name)(args...);                                            \
    }                                                                       \
    template <class D, class... Args>                                       \
    static auto CallOn(D& self, Args... args) noexcept(                     \
        noexcept((self.name)(args...))) -> decltype((self.name)(args...)) { \
      return (self.name)(args...);                                          \
    }                                                                       \
    template <class D>                                                      \
    static auto Address() -> decltype(&D::name);                            \
    struct AbigenDecoy {                                                    \
      int name;                                                             \
    };                                                                      \
  }
// NOLINTEND(bugprone-macro-parentheses)

#endif  // ABIGEN_CPP_V1_HPP_
