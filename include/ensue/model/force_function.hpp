/// A model of particles with force blocks behind one type: what a condensed method that was chosen by name (registry.hpp) takes.
///
/// A value that shares its model, which is never changed. Blocks pass through a virtual call each.
#pragma once

#include <ensue/model/force_blocks.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace ensue {

class force_function {
 public:
  template <class Model>
    requires has_force_blocks<Model>
  explicit force_function(const Model& model) : forces_(std::make_shared<const forces_of<Model>>(model)) {}

  std::size_t particles() const { return forces_->particles(); }
  double mass(std::size_t i) const { return forces_->masses[i]; }
  bool varies_in_time() const { return forces_->varies_in_time(); }
  void constrain(linear::constraint_filter<double>& filter) const { forces_->constrain(filter); }
  template <class Receiver>
  void blocks(double t, std::span<const double> q, std::span<const double> v, force_derivatives how, Receiver& out) const {
    passed_on<Receiver> passing(out);
    forces_->blocks(t, q, v, how, passing);
  }

 private:
  struct any_block_receiver {
    virtual ~any_block_receiver() = default;
    virtual void couple(std::size_t i, std::size_t j, const force_block& by_position, const force_block& by_velocity) = 0;
    virtual void spring(std::size_t i, std::size_t j, const force_block& by_position, const force_block& by_velocity) = 0;
  };
  template <class Receiver> struct passed_on final : any_block_receiver {
    explicit passed_on(Receiver& to) : out(to) {}
    void couple(std::size_t i, std::size_t j, const force_block& k, const force_block& d) override { out.couple(i, j, k, d); }
    void spring(std::size_t i, std::size_t j, const force_block& k, const force_block& d) override { out.spring(i, j, k, d); }
    Receiver& out;
  };

  struct any_forces {
    virtual ~any_forces() = default;
    virtual std::size_t particles() const = 0;
    virtual bool varies_in_time() const = 0;
    virtual void constrain(linear::constraint_filter<double>& filter) const = 0;
    virtual void blocks(double t, std::span<const double> q, std::span<const double> v, force_derivatives how, any_block_receiver& out) const = 0;
    std::vector<double> masses;  ///< asked for in the inner loops
  };
  template <class Model> struct forces_of final : any_forces {
    explicit forces_of(const Model& given) : model(given) {
      for (std::size_t i = 0; i < model.particles(); ++i) this->masses.push_back(model.mass(i));
    }
    std::size_t particles() const override { return model.particles(); }
    bool varies_in_time() const override {
      if constexpr (requires { model.varies_in_time(); }) return model.varies_in_time();
      else return true;
    }
    void constrain(linear::constraint_filter<double>& filter) const override { model.constrain(filter); }
    void blocks(double t, std::span<const double> q, std::span<const double> v, force_derivatives how, any_block_receiver& out) const override {
      model.blocks(t, q, v, how, out);
    }
    Model model;
  };

  std::shared_ptr<const any_forces> forces_;
};

}  // namespace ensue
